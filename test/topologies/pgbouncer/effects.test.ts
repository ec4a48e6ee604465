import { it } from 'vitest'
import { useDatabase } from '../../adapters/inbox/postgres/database.ts'
import { expectOneEffect } from '../../effects/killed-worker.ts'
import { describePostgresRecipes } from '../../effects/postgres-recipes.ts'
import { createPostgres } from '../../effects/recipe-databases.ts'
import { describeWithPgbouncer, startPgbouncer } from './pgbouncer.ts'

/** The tables of the recipes, through PgBouncer. */
async function createPooled() {
  const database = await createPostgres()
  // In place of `options` in the URL, which PgBouncer rejects.
  const pgbouncer = await startPgbouncer({ connectQuery: `set search_path = ${database.schema}` })
  pgbouncer.url.searchParams.set('application_name', database.schema)
  return {
    ...database,
    url: pgbouncer.url.href,
    async drop() {
      await pgbouncer.close()
      await database.drop()
    },
  }
}

await describeWithPgbouncer('the transaction option through PgBouncer', () => {
  const { schema } = useDatabase()
  describePostgresRecipes(createPooled)

  it('has an effect once if the process is killed after the commit, with an inbox there, too', async () => {
    const database = await createPooled()
    await expectOneEffect({ engine: 'postgres', connectionString: database.url, schema }, database)
    await database.drop()
  })
})
