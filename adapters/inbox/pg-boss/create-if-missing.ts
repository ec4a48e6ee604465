import type { SqlRunner } from './engine.ts'

/**
 * Creates a table, an index or a function of the inbox in pg-boss's schema. Once it exists, this needs no right
 * to create it, unlike `if not exists`.
 */
export async function createIfMissing(db: SqlRunner, name: string, statement: string): Promise<void> {
  const { rows } = await db.executeSql(
    'select 1 where to_regclass($1) is not null or to_regproc($1) is not null',
    [name],
  )
  if (rows.length > 0) return
  // One string is one transaction. Without the lock, two processes could conflict in PostgreSQL's catalog.
  await db.executeSql(`select pg_advisory_xact_lock(hashtextextended('${name}', 0)); ${statement}`)
}
