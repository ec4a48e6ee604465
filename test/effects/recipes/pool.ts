import pg from 'pg'

export function createPool(connectionString: string | undefined) {
  const pool = new pg.Pool({
    connectionString,
    max: 10, // at least the "concurrency" of the inbox
    connectionTimeoutMillis: 10_000,
  })
  // A connection that the server closes must not end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
