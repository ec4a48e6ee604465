// Tests payhook/postgres with the pg that is installed here and the PostgreSQL of DATABASE_URL: put, handle,
// retry, dead, replay, prune.
import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createPostgresInbox } from 'payhook/postgres'
import pg from 'pg'

const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test'
const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 2_000 })

const notification = (id) => {
  const rawBody = Buffer.from(JSON.stringify({ id }))
  const signature = createHash('sha256').update(rawBody).digest('hex')
  return { signature, clientId: 'a-client', receivedAt: new Date(), rawBody }
}

async function until(inbox, counts) {
  const expected = { waiting: 0, active: 0, completed: 0, dead: 0, ...counts }
  for (let tries = 0; ; tries++) {
    const found = await inbox.counts()
    if (JSON.stringify(found) === JSON.stringify(expected)) return
    if (tries === 300) assert.deepEqual(found, expected)
    await delay(100)
  }
}

async function check(name, server) {
  const schema = `payhook_check_${randomUUID().replaceAll('-', '')}`
  const inbox = createPostgresInbox({ ...server, schema, retryDelayMs: 10, maxAttempts: 2 })
  try {
    const failing = new Set(['dead', 'retried'])
    const attempts = []
    await inbox.start({
      async handle({ rawBody, attempt }) {
        const { id } = JSON.parse(Buffer.from(rawBody).toString())
        attempts.push(`${id} ${attempt}`)
        if (failing.has(id) && !(id === 'retried' && attempt === 2)) throw new Error('down')
      },
      dead: async () => {},
      failed: (error) => console.error(error),
    })
    for (const id of ['good', 'retried', 'dead']) assert.equal(await inbox.put(notification(id)), 'stored')
    assert.equal(await inbox.put(notification('good')), 'duplicate')
    await until(inbox, { completed: 2, dead: 1 })
    failing.clear()
    assert.equal(await inbox.replayAll({ state: 'dead' }), 1)
    await until(inbox, { completed: 3 })
    assert.deepEqual(attempts.toSorted(), ['dead 1', 'dead 1', 'dead 2', 'good 1', 'retried 1', 'retried 2'])
    assert.equal(await inbox.prune({ olderThan: new Date(Date.now() + 60_000) }), 3)
    console.log(`ok      ${name}`)
  } finally {
    await inbox.close()
    await pool.query(`drop schema if exists ${schema} cascade`)
  }
}

async function hasServer() {
  try {
    await pool.query('select 1')
    return true
  } catch (error) {
    if (process.env.CI === 'true') throw error
    console.log(`skipped pg: there is no PostgreSQL at DATABASE_URL (${error.message})`)
    return false
  }
}

if (await hasServer()) {
  await check('pg, with a pool of the inbox', { connectionString })
  await check('pg, with a pool of the application', { pool })
}
await pool.end()
