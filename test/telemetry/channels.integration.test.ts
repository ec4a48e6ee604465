import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { createReceiver, type ReceiverOptions, sign } from '../../src/index.ts'
import type { WebhookRequest } from '../../src/verification/request-verifier.ts'
import { TEST_INBOXES } from '../cli/test-inboxes.ts'
import { throwing } from '../contracts/throwing.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { createDirectInbox } from '../effects/direct-inbox.ts'
import { clientId, logger, notify, subscribeToAll } from './fixtures.ts'

const create = (options: Partial<ReceiverOptions> = {}) =>
  createReceiver({ clientId, callbackToken: false, logger, ...options })
const PAYMENT = { kind: 'INBOUND_PAYMENT_STATUS_UPDATED', subject: 'payment:7' }

type Told = readonly [channel: string, event: string, message: object]

/** The last message of a channel. */
const lastOf = (told: Told[], channel: string) => told.findLast(([name]) => name === channel)?.[2]

/** Subscribes as an application would. Each message is copied, as it changes until the end. */
function subscribe(change: (message: Record<string, unknown>) => void = () => {}): Told[] {
  const told: Told[] = []
  subscribeToAll((name, event, message) => {
    told.push([name, event, { ...message }])
    if (event === 'start') change(message as Record<string, unknown>)
  })
  return told
}

it('tell of a request and of its handling', async () => {
  const told = subscribe()
  const receiver = create().onAny(() => {})

  await receiver.receive(notify(7))

  const start = { ...PAYMENT, source: 'service', entryId: undefined, attempt: 1, traceparent: undefined }
  const process = { ...start, receivedAt: expect.any(Date) }
  expect(told).toEqual([
    ['receive', 'start', { method: 'POST' }],
    ['receive', 'end', { method: 'POST' }],
    ['process', 'start', process],
    ['process', 'end', process],
    ['process', 'asyncStart', { ...process, outcome: 'completed', result: undefined }],
    ['process', 'asyncEnd', { ...process, outcome: 'completed', result: undefined }],
    ['receive', 'asyncStart', { method: 'POST', status: 200, verdict: 'received', result: undefined }],
    ['receive', 'asyncEnd', { method: 'POST', status: 200, verdict: 'received', result: undefined }],
  ])
})

it('tell of an entry until it is dead, and pass on the trace context of a subscriber', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  const told = subscribe((message) => {
    if (!('attempt' in message)) message.traceparent = traceparent
  })
  const inbox = await TEST_INBOXES.sqlite().open({ maxAttempts: 2, retryDelayMs: 1 })
  const receiver = create({ inbox }).onAny(
    throwing(Object.assign(new RangeError('of Jane Doe'), { code: 'NO_LUCK' })),
  )
  await receiver.receive(notify(7))
  await receiver.receive(notify(7))
  await receiver.start()
  const dead = await waitFor(async () => (await inbox.list({ state: 'dead' }))[0])
  await receiver.stop()

  const ends = told.flatMap(([name, event, message]) => (event === 'asyncEnd' ? [[name, message]] : []))
  const process = {
    ...{ ...PAYMENT, source: 'service', entryId: dead.id, traceparent, receivedAt: dead.receivedAt },
    ...{ errorType: 'NO_LUCK', result: undefined },
  }
  expect(ends).toEqual([
    ['put', { ...PAYMENT, traceparent, outcome: 'stored', result: undefined }],
    ['receive', { method: 'POST', traceparent, status: 200, verdict: 'received', result: undefined }],
    ['put', { ...PAYMENT, traceparent, outcome: 'duplicate', result: undefined }],
    ['receive', { method: 'POST', traceparent, status: 200, verdict: 'duplicate', result: undefined }],
    ['process', { ...process, attempt: 1, outcome: 'retry' }],
    ['process', { ...process, attempt: 2, outcome: 'dead' }],
  ])
})

it.each([
  '',
  7,
  null,
  `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`,
  `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01\n`,
  `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
  `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
])('ignore %j as a trace context', async (traceparent) => {
  subscribe((message) => {
    message.traceparent = traceparent
  })
  const inbox = await TEST_INBOXES.sqlite().open()
  const receiver = create({ inbox })

  expect(await receiver.receive(notify(7))).toMatchObject({ status: 200 })
  expect((await inbox.list()).map((entry) => entry.traceparent)).toEqual([undefined])
})

it.each([null, {}, { ...notify(7), method: Object.create(null) }])(
  'tell of a request that cannot be read, %o',
  async (request) => {
    const told = subscribe()
    const receiver = create()

    expect(await receiver.receive(request as WebhookRequest)).toMatchObject({ status: 500 })
    expect(told.at(-1)?.[2]).toMatchObject({ method: '', status: 500, verdict: 'receiver_failed' })
  },
)

it('tell why handling failed without an inbox', async () => {
  const told = subscribe()
  const receiver = create().onAny(throwing(new RangeError('of Jane Doe')))
  await receiver.receive(notify(7))
  expect(lastOf(told, 'process')).toMatchObject({ outcome: 'failed', errorType: 'RangeError' })
})

it('change nothing if a subscriber freezes the message', async () => {
  const told = subscribe(Object.freeze)
  const { inbox: direct, attempt } = createDirectInbox()
  const inbox = { ...direct, put: async () => 'stored' as const }
  const handler = vi.fn()
  const receiver = create({ inbox }).onAny(handler)
  await receiver.start()
  expect(await receiver.receive(notify(7))).toMatchObject({ status: 200 })
  await attempt('1')
  expect(handler).toHaveBeenCalledOnce()
  expect(new Set(told.map(([name]) => name))).toEqual(new Set(['receive', 'put', 'process']))
})

it('tell of an attempt that stop() cuts off, which has not failed', async () => {
  const told = subscribe()
  const { inbox, attempt } = createDirectInbox()
  const receiver = create({ inbox }).onAny((_event, { signal }) => {
    aborter.abort()
    signal.throwIfAborted()
  })
  const aborter = new AbortController()
  await receiver.start()
  await expect(attempt('1', { signal: aborter.signal })).rejects.toThrow()
  const message = lastOf(told, 'process')
  expect(message).toMatchObject({ outcome: 'returned' })
  expect(message).not.toHaveProperty('errorType')
})

it.each([
  ['of a body that cannot be parsed', '{"type":', { kind: null }],
  [
    'a kind that is too long, shortened',
    notify(7, 'K'.repeat(5_000)).body,
    { kind: `${'K'.repeat(1_000)}…` },
  ],
])('tell %s', async (_, body, expected) => {
  const told = subscribe()
  const inbox = await TEST_INBOXES.sqlite().open()
  const request = { ...notify(7), body, headers: { 'access-signature': sign({ body, clientId }) } }
  expect(await create({ inbox }).receive(request)).toMatchObject({ status: 200 })
  expect(lastOf(told, 'put')).toMatchObject({ ...expected, subject: null, outcome: 'stored' })
})

it('tell why an inbox failed, even if the error is its own cause', async () => {
  const told = subscribe()
  const error = new RangeError('of Jane Doe')
  error.cause = error
  const inbox = { put: () => Promise.reject(error), start: async () => {}, stop: async () => {} }
  await create({ inbox }).receive(notify(7))
  expect(lastOf(told, 'put')).toMatchObject({ outcome: 'failed', errorType: 'RangeError' })
})

/**
 * Has a receiver handle a notification in a process of its own, which begins and ends with these lines. Prints
 * its type and the status of the reply.
 */
function run(before: string, after = ''): string {
  const program = `${before}
    const { createReceiver } = await import('./src/index.ts')
    const receiver = createReceiver({ clientId: ${JSON.stringify(clientId)}, callbackToken: false })
    receiver.onAny(({ type }) => console.log(type))
    console.log((await receiver.receive(${JSON.stringify(notify(7))})).status)
    ${after}`
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' })
}

const HANDLED = 'INBOUND_PAYMENT_STATUS_UPDATED\n'

it('do not fail a request if a subscriber throws', () => {
  const before = `
    import { tracingChannel } from 'node:diagnostics_channel'
    const uncaught = []
    process.on('uncaughtException', ({ message }) => uncaught.push(message))
    const fail = () => { throw new Error('of the subscriber') }
    for (const name of ['receive', 'process'])
      tracingChannel('payhook:' + name).subscribe({ start: fail, end: fail, asyncStart: fail, asyncEnd: fail, error: fail })`
  const printed = run(before, 'await new Promise(setImmediate); console.log(new Set(uncaught))')
  expect(printed).toBe(`${HANDLED}200\nSet(1) { 'of the subscriber' }\n`)
})

it('are used where only the single channels know their subscribers, as in Bun', () => {
  const printed = run(`
    import { tracingChannel } from 'node:diagnostics_channel'
    Object.defineProperties(Object.getPrototypeOf(tracingChannel('any')), {
      hasSubscribers: { value: undefined },
      tracePromise: { value(run, message) { return run().finally(() => this.asyncEnd.publish(message)) } },
    })
    tracingChannel('payhook:receive').subscribe({ asyncEnd: ({ verdict }) => console.log(verdict) })`)
  expect(printed).toBe(`${HANDLED}received\n200\n`)
})

it('are left out where the runtime has none', () => {
  expect(run('process.getBuiltinModule = undefined')).toBe(`${HANDLED}200\n`)
})
