// Tests payhook/bullmq with the installed BullMQ and the Redis of REDIS_URL: put, handle, retry, dead, replay.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Queue } from 'bullmq'
import Redis from 'ioredis'
import { createReceiver } from 'payhook'
import { createBullmqInbox } from 'payhook/bullmq'
import { createNotification } from 'payhook/testing'

const clientId = 'a-client'
const url = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
const connection = { host: url.hostname, port: Number(url.port) || 6379 }
const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version
const name = `BullMQ ${versionOf('bullmq')} with ioredis ${versionOf('ioredis')}`

async function isThere() {
  const socket = connect(connection)
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    if (process.env.CI) throw error
    return false
  } finally {
    socket.destroy()
  }
}

async function waitFor(ask) {
  for (let tries = 0; tries < 3_000; tries++) {
    if (await ask()) return
    await delay(10)
  }
  assert.fail(`timed out waiting for ${ask}`)
}

async function check() {
  const queueName = `payhook-frameworks-${randomUUID()}`
  const inbox = createBullmqInbox({
    connection,
    queueName,
    retryDelayMs: 10,
    maxAttempts: 2,
    stopTimeoutMs: 10,
  })
  const receiver = createReceiver({ clientId, callbackToken: false, inbox })
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

  const first = createNotification('VBA_TRANSACTION', { clientId })
  await put(first)
  await put(first)
  await receiver.start()
  await waitFor(async () => (await inbox.counts()).completed === 1)
  assert.deepEqual(attempts.splice(0), [1])

  handle = () => Promise.reject(new Error('down'))
  await put(createNotification('INVOICE_STATUS_UPDATED', { clientId }))
  await waitFor(() => deaths.length === 1)
  assert.deepEqual([attempts.splice(0), deaths], [[1, 2], [2]])
  const [dead] = await inbox.list({ state: 'dead' })
  assert.deepEqual([dead.attempts, dead.error.split('\n')[0]], [2, 'Error: down'])

  // Cut off, then delivered again as the same attempt.
  handle = (signal) => once(signal, 'abort').then(() => signal.throwIfAborted())
  await inbox.replay(dead.id)
  await waitFor(() => attempts.length === 1)
  await receiver.stop()
  assert.deepEqual(await inbox.counts(), { waiting: 1, active: 0, completed: 1, dead: 0 })
  handle = () => {}
  await receiver.start()
  await waitFor(async () => (await inbox.counts()).completed === 2)
  assert.deepEqual(attempts, [1, 1])

  assert.equal(await inbox.prune({ olderThan: new Date(Date.now() + 60_000) }), 2)
  await inbox.close()
  const queue = new Queue(queueName, { connection })
  await queue.close()
  const redis = new Redis(connection)
  await redis.del(await redis.keys(queue.toKey('*')))
  await redis.quit()
  console.log(`ok      ${name}`)
}

if (await isThere()) await check()
else console.log(`skipped ${name}: no Redis at ${url.host}`)
