import { readFileSync } from 'node:fs'
import pg from 'pg'

const SCHEMA = process.env.SCHEMA ?? 'shop'

export const inboxSchema = `${SCHEMA}_inbox`

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  options: `-c search_path=${SCHEMA}`,
  max: 15, // the "concurrency" of the inbox, three for its own work, and two for the rest of the application
  connectionTimeoutMillis: 10_000,
})
// A connection that the server closes must not end the process. The query that needs it fails.
pool.on('error', () => {})
pool.on('connect', (client) => client.on('error', () => {}))

export async function createTables() {
  const tables = readFileSync(new URL('schema.sql', import.meta.url), 'utf8')
  await pool.query(`create schema if not exists ${SCHEMA}; ${tables}`)
}
