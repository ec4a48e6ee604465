import { readFileSync } from 'node:fs'
import pg from 'pg'

const SCHEMA = process.env.SCHEMA ?? 'shop'

export const inboxSchema = `${SCHEMA}_inbox`

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  options: `-c search_path=${SCHEMA}`,
  max: 12, // the "concurrency" of the inbox, and two for the rest of the application
  connectionTimeoutMillis: 10_000,
})
// A connection that the server closes must not end the process. The query that needs it fails.
pool.on('error', () => {})
pool.on('connect', (client) => client.on('error', () => {}))

export async function createTables() {
  const tables = readFileSync(new URL('schema.sql', import.meta.url), 'utf8')
  await pool.query(`create schema if not exists ${SCHEMA}; ${tables}`)
}

/** Commits what the handlers of a notification write together with its key, or neither. */
export async function transaction(run) {
  const client = await pool.connect()
  let broken
  try {
    await client.query('begin')
    const ran = await run(client, async (key) => {
      const insert = 'insert into webhook_receipts (key) values ($1) on conflict do nothing'
      const { rowCount } = await client.query(insert, [key])
      return rowCount === 1
    })
    // After a statement that failed, PostgreSQL rolls back instead, without an error.
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('A handler ignored the error of a statement.')
    return ran
  } catch (error) {
    await client.query('rollback').catch((reason) => {
      broken = reason
    })
    throw error
  } finally {
    client.release(broken)
  }
}
