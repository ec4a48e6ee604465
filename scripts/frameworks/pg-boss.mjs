// Tests payhook/pg-boss with the oldest and the newest pg-boss of its peer range and the PostgreSQL of
// DATABASE_URL: put, handle, retry, dead, replay, prune.
import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { INVALID_SPAN_CONTEXT, trace } from '@opentelemetry/api'
import { createPgBossInbox } from 'payhook/pg-boss'
import { PgBoss as Newest } from 'pg-boss'
import { PgBoss as Oldest } from 'pg-boss-oldest'

// An application with OpenTelemetry must not get a span of every fetch.
let spans = 0
const span = { spanContext: () => INVALID_SPAN_CONTEXT, isRecording: () => false, end() {} }
const startSpan = () => {
  spans += 1
  return span
}
trace.setGlobalTracerProvider({
  getTracer: () => ({ startSpan, startActiveSpan: (...args) => args.at(-1)(startSpan()) }),
})

const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test'

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

async function check(name, open) {
  const schema = `payhook_check_${randomUUID().replaceAll('-', '')}`
  const inbox = await open({ schema, retryDelayMs: 10, maxAttempts: 2 })
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
    assert.equal(await inbox.replayDead(), 1)
    await until(inbox, { completed: 3 })
    assert.deepEqual(attempts.toSorted(), ['dead 1', 'dead 1', 'dead 2', 'good 1', 'retried 1', 'retried 2'])
    assert.equal(await inbox.prune({ olderThan: new Date(Date.now() + 60_000) }), 3)
    console.log(`ok      ${name}`)
  } finally {
    await inbox.close()
    await db.executeSql(`drop schema if exists ${schema} cascade`)
  }
}

async function hasServer() {
  try {
    await db.executeSql('select 1')
    return true
  } catch (error) {
    if (process.env.CI === 'true') throw error
    console.log(`skipped pg-boss: there is no PostgreSQL at DATABASE_URL (${error.message})`)
    return false
  }
}

const db = new Newest({ connectionString, connectionTimeoutMillis: 2_000 }).getDb()
await db.open()
if (await hasServer()) {
  await check('pg-boss 12.35, given as "boss"', async (options) => {
    const boss = new Oldest({ connectionString, schema: options.schema, schedule: false })
    boss.on('error', () => {})
    await boss.start()
    const inbox = createPgBossInbox({ ...options, boss })
    const close = async () => {
      await inbox.close()
      await boss.stop({ graceful: false })
    }
    return { ...inbox, close }
  })
  await check('pg-boss 12.38, made by the inbox', (options) =>
    createPgBossInbox({ ...options, connectionString }),
  )
  assert.equal(spans, 0)
}
await db.close()
