// Tests an inbox with the client of its engine that is installed here: put, handle, retry, dead, cut off, replay,
// prune. node engine.mjs bullmq uses the Redis of REDIS_URL, node engine.mjs postgres the PostgreSQL of DATABASE_URL.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createReceiver } from 'payhook'
import { createNotification } from 'payhook/testing'

const clientId = 'a-client'
const name = `payhook_check_${randomUUID().replaceAll('-', '')}`
const versionOf = (name) => `${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version}`

async function assertListens(url, port) {
  const socket = connect(Number(url.port) || port, url.hostname)
  await once(socket, 'connect')
  socket.destroy()
}

const CHECKS = {
  async bullmq() {
    const url = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
    await assertListens(url, 6379)
    const { default: Redis } = await import('ioredis')
    const { createBullmqInbox } = await import('payhook/bullmq')
    const connection = { host: url.hostname, port: Number(url.port) || 6379 }
    await check((options) => createBullmqInbox({ ...options, connection, queueName: name }))
    const redis = new Redis(connection)
    await redis.del(await redis.keys(`*:${name}:*`))
    await redis.quit()
    return [versionOf('bullmq'), versionOf('ioredis')]
  },
  async postgres() {
    const url = new URL(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test')
    await assertListens(url, 5432)
    const { default: pg } = await import('pg')
    const { createPostgresInbox } = await import('payhook/postgres')
    const connectionString = url.href
    const pool = new pg.Pool({ connectionString })
    for (const server of [{ connectionString }, { pool }]) {
      await check((options) => createPostgresInbox({ ...options, ...server, schema: name }))
      await pool.query(`drop schema ${name} cascade`)
    }
    await pool.end()
    return [versionOf('pg')]
  },
}

async function waitFor(ask) {
  for (let tries = 0; tries < 3_000; tries++) {
    if (await ask()) return
    await delay(10)
  }
  assert.fail(`timed out waiting for ${ask}`)
}

async function check(open) {
  const inbox = open({ retryDelayMs: 10, maxAttempts: 2, stopTimeoutMs: 10 })
  const receiver = createReceiver({
    clientId,
    callbackToken: false,
    inbox,
    logger: { warn() {}, error() {} },
  })
  const attempts = []
  const deaths = []
  let handle = () => {}
  receiver.onAny((_event, { attempt, signal }) => {
    attempts.push(attempt)
    return handle(signal)
  })
  receiver.onDead((notification) => void deaths.push(notification.attempts))
  const put = async (request) => {
    const reply = await receiver.receive({ method: 'POST', url: '/', ...request })
    assert.equal(reply.status, 200)
  }
  const completed = (count) => waitFor(async () => (await inbox.counts()).completed === count)

  const first = createNotification('VBA_TRANSACTION', { clientId })
  await put(first)
  await put(first)
  await receiver.start()
  await completed(1)
  assert.deepEqual(attempts.splice(0), [1])

  handle = () => Promise.reject(new Error('down'))
  await put(createNotification('INVOICE_STATUS_UPDATED', { clientId }))
  await waitFor(() => deaths.length === 1)
  assert.deepEqual([attempts.splice(0), deaths], [[1, 2], [2]])
  const [dead] = await inbox.list({ state: 'dead' })
  assert.deepEqual([dead.attempts, dead.error.split('\n')[0]], [2, 'Error: down'])

  // Cut off, then handed over again as the same attempt.
  handle = (signal) => once(signal, 'abort').then(() => signal.throwIfAborted())
  await inbox.replay(dead.id)
  await waitFor(() => attempts.length === 1)
  await receiver.stop()
  assert.deepEqual(await inbox.counts(), { waiting: 1, active: 0, completed: 1, dead: 0 })
  handle = () => {}
  await receiver.start()
  await completed(2)
  assert.deepEqual(attempts, [1, 1])

  assert.equal(await inbox.prune({ olderThan: new Date(Date.now() + 60_000) }), 2)
  await inbox.close()
}

const [, , engine] = process.argv
try {
  console.log(`ok      payhook/${engine} with ${(await CHECKS[engine]()).join(' and ')}`)
  setTimeout(() => assert.fail('the process does not end'), 5_000).unref()
} catch (error) {
  if (process.env.CI || error.code !== 'ECONNREFUSED') throw error
  console.log(`skipped payhook/${engine}: ${error.message}`)
}
