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

await describeWithPgbouncer('the transaction option through PgBouncer', () =>
  describePostgresRecipes(createPooled),
)
