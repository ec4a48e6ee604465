import { getEventListeners } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { createSqliteInbox, type SqliteInboxOptions } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import type { Inbox, InboxEntry } from '../../src/index.ts'
import {
  createReceiver,
  InboxError,
  parse,
  type ReceiverInbox,
  type ReceiverOptions,
  type WebhookContext,
  type WebhookRequest,
} from '../../src/index.ts'
import { activeTimers } from '../contracts/active-timers.ts'
import { throwing } from '../contracts/throwing.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { createDirectInbox } from '../effects/direct-inbox.ts'
import { clients, fixture } from '../fixture-cases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { request, signed } from './requests.ts'

function openInbox(options: Partial<SqliteInboxOptions> = {}): Inbox {
  const path = join(temporaryFolder(), 'inbox.db')
  const inbox = createSqliteInbox({ path, retryDelayMs: 10, ...options })
  onTestFinished(() => inbox.close())
  return inbox
}

const valid = request('outbound-payment-stringified')
const create = (options: Partial<ReceiverOptions>) =>
  createReceiver({ clientId: clients.default, callbackToken: false, ...options })

describe('a receiver with an inbox', () => {
  it('responds before the handler runs, which gets event and context from the inbox', async () => {
    const inbox = openInbox()
    const receiver = create({ inbox, now: () => 1_700_000_000_123 })
    const seen: [unknown, WebhookContext][] = []
    receiver.onAny((event, context) => void seen.push([event, context]))
    expect(await receiver.receive(valid)).toMatchObject({ status: 200, body: '{"received":true}' })
    expect(seen).toEqual([])
    await receiver.start()
    await waitFor(() => seen.length === 1)
    const [[event, context] = []] = seen
    expect(event).toEqual(fixture('outbound-payment-stringified').expect)
    expect(context).toMatchObject({
      signature: fixture('outbound-payment-stringified').signature,
      kind: 'OUTBOUND_PAYMENT_STATUS_UPDATED',
      subject: 'payment:730112',
      entryId: '1',
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
      source: 'service',
      clientId: clients.default,
      receivedAt: new Date(1_700_000_000_123),
      attempt: 1,
    })
    expect(Buffer.from(context?.rawBody ?? [])).toEqual(fixture('outbound-payment-stringified').body)
    expect(context?.signal.aborted).toBe(false)
  })

  it.each<[string, ReceiverOptions['concurrencyKey'], object]>([
    ['the key of the option', () => 'payee:7', { concurrencyKey: 'payee:7' }],
    ['that it is not limited', () => null, { concurrencyKey: null }],
    ['no key if it is the subject', () => 'payment:730112', {}],
  ])('stores %s', async (_, concurrencyKey, expected) => {
    const inbox = openInbox()
    await create({ inbox, concurrencyKey }).receive(valid)
    const [{ subject, ...entry } = {} as InboxEntry] = await inbox.list()
    expect(subject).toBe('payment:730112')
    expect('concurrencyKey' in entry ? { concurrencyKey: entry.concurrencyKey } : {}).toEqual(expected)
  })

  it.each<[string, Partial<ReceiverOptions> | (() => unknown)]>([
    ['throws', () => JSON.parse('no JSON')],
    ['throws a PayloadError', () => parse('no JSON')],
    ['returns something else', () => 7],
    ['returns too long a text', () => 'x'.repeat(201)],
    ['rejects', async () => JSON.parse('no JSON')],
    [
      'needs an event whose schema throws',
      {
        kinds: { OUTBOUND_PAYMENT_STATUS_UPDATED: z.looseObject({}).refine(async () => true) },
        concurrencyKey: () => 'payee:7',
      },
    ],
  ])('logs it if the option for the key %s, and stores the notification', async (_, given) => {
    const inbox = openInbox()
    const warn = vi.fn()
    const options = typeof given === 'function' ? { concurrencyKey: given as () => null } : given
    const receiver = create({ inbox, ...options, logger: { warn, error() {} } })
    expect(await receiver.receive(valid)).toMatchObject({ status: 200 })
    const [entry] = await inbox.list()
    expect(entry).toMatchObject({ subject: 'payment:730112' })
    expect(entry).not.toHaveProperty('concurrencyKey')
    expect(warn.mock.calls).toEqual([
      [expect.any(String), expect.objectContaining({ code: 'concurrency_key_invalid' })],
    ])
  })

  it('stores what cannot be parsed without a key', async () => {
    const inbox = openInbox()
    const concurrencyKey = vi.fn(() => 'order:7')
    await create({ inbox, concurrencyKey }).receive(request('body-truncated'))
    expect(await inbox.list({ state: 'waiting' })).toMatchObject([{ subject: null }])
    expect(concurrencyKey).not.toHaveBeenCalled()
  })

  it('acknowledges a duplicate and handles it once', async () => {
    const inbox = openInbox()
    const receiver = create({ inbox })
    let handled = 0
    receiver.onAny(() => {
      handled += 1
    })
    await receiver.start()
    const replies = await Promise.all([receiver.receive(valid), receiver.receive(valid)])
    const duplicate = { status: 200, body: '{"received":true,"duplicate":true}' }
    expect(replies).toMatchObject([{ status: 200, body: '{"received":true}' }, duplicate])
    await waitFor(async () => (await inbox.counts()).completed === 1)
    expect(await receiver.receive(valid)).toMatchObject(duplicate)
    expect(handled).toBe(1)
  })

  it('logs a duplicate at most once a minute', async () => {
    let time = 1_700_000_000_000
    const warned: unknown[] = []
    const logger = { warn: (...line: unknown[]) => void warned.push(line), error() {} }
    const receiver = create({ inbox: openInbox({ now: () => time }), logger, now: () => time })
    for (const elapsed of [0, 0, 59_999, 1]) {
      time += elapsed
      await receiver.receive(valid)
    }
    const signature = fixture('outbound-payment-stringified').signature?.slice(0, 12)
    const line = [
      expect.stringMatching(/^payhook: a duplicate was acknowledged/),
      { code: 'duplicate', signature },
    ]
    expect(warned).toEqual([line, line])
  })

  it('does not store a rejected request', async () => {
    const inbox = openInbox()
    expect((await create({ inbox }).receive(request('signature-tampered'))).status).toBe(401)
    expect(await inbox.counts()).toEqual({ waiting: 0, active: 0, completed: 0, dead: 0 })
  })

  it('stores an invalid body as dead, reports it, and can replay it', async () => {
    const inbox = openInbox()
    const receiver = create({ inbox })
    const deaths: unknown[] = []
    const codes: string[] = []
    receiver.onDead((notification) => void deaths.push(notification))
    receiver.onError(({ code }) => void codes.push(code))
    expect((await receiver.receive(request('body-truncated'))).status).toBe(200)
    await receiver.start()
    await waitFor(() => deaths.length === 1)
    expect(deaths).toMatchObject([
      { attempts: 1, error: expect.stringMatching(/^PayloadError: The body is not JSON/) },
    ])
    expect(codes).toEqual([])
    const [dead] = await inbox.list({ state: 'dead' })
    await inbox.replay(dead?.id ?? '')
    await waitFor(() => deaths.length === 2)
  })

  it('logs which entry failed, and when it is retried', async () => {
    const inbox = openInbox({ maxAttempts: 2, retryDelayMs: 100 })
    const logged: [string, Record<string, unknown>][] = []
    const log = (message: string, fields: object) => void logged.push([message, { ...fields }])
    const receiver = create({ inbox, logger: { warn: log, error: log } })
    receiver.onAny(throwing(new Error('the ledger is closed')))
    await receiver.start()
    const startedAt = Date.now()
    await receiver.receive(valid)
    await waitFor(() => logged.length === 3)
    const [entry] = await inbox.list({ state: 'dead' })
    const signature = entry?.signature.slice(0, 12)
    const fields = { entryId: entry?.id, subject: 'payment:730112', signature }
    const failed = { code: 'handler_failed', ...fields, error: { message: 'the ledger is closed' } }
    expect(logged).toMatchObject([
      ['payhook: Attempt 1 at handling the notification failed.', { ...failed, attempt: 1 }],
      ['payhook: Attempt 2 at handling the notification failed.', { ...failed, attempt: 2 }],
      [
        'payhook: the inbox gave up on a notification',
        { ...fields, attempt: 2, reason: 'Error: the ledger is closed' },
      ],
    ])
    const [nextAttemptAt, afterLast] = logged.map(([, { nextAttemptAt }]) => nextAttemptAt)
    expect(Date.parse(String(nextAttemptAt))).toBeGreaterThanOrEqual(startedAt + 50)
    expect(afterLast).toBeUndefined()
  })

  it.each<[string, () => unknown]>([
    ['fails', throwing(new Error('a hook'))],
    ['never ends', () => new Promise(() => {})],
  ])('reports every failed attempt, also to a hook that %s', async (_, hook) => {
    const inbox = openInbox({ concurrency: 1, maxAttempts: 2 })
    const receiver = create({ inbox })
    const failed: unknown[] = []
    receiver.onAny(throwing(new Error('the ledger is closed')))
    receiver.onError((error, webhook) => {
      failed.push([error.code, webhook?.context.attempt, (error.cause as Error).message])
      return hook()
    })
    receiver.onDead(hook)
    await receiver.receive(valid)
    await receiver.start()
    await waitFor(async () => (await inbox.counts()).dead === 1)
    expect(failed).toEqual([
      ['handler_failed', 1, 'the ledger is closed'],
      ['handler_failed', 2, 'the ledger is closed'],
    ])
  })

  it('reports every attempt if a schema throws, and keeps the notification', async () => {
    const inbox = openInbox({ maxAttempts: 2 })
    const kinds = { OUTBOUND_PAYMENT_STATUS_UPDATED: z.looseObject({}).refine(async () => true) }
    const receiver = createReceiver({ clientId: clients.default, inbox, kinds })
    const failed: unknown[] = []
    receiver.onAny(() => {})
    receiver.onError(({ code, cause }, webhook) => failed.push([code, cause, webhook]))
    expect((await receiver.receive(valid)).status).toBe(200)
    await receiver.start()
    await waitFor(async () => (await inbox.counts()).dead === 1)
    const report = ['receiver_failed', expect.any(TypeError), undefined]
    expect(failed).toEqual([report, report])
  })

  it("retries after a handler's own PayloadError", async () => {
    const inbox = openInbox({ maxAttempts: 2 })
    const receiver = create({ inbox })
    receiver.onAny(() => parse('{"some other": "text"}'))
    await receiver.receive(valid)
    await receiver.start()
    await waitFor(async () => (await inbox.counts()).dead === 1)
    expect(await inbox.list({ state: 'dead' })).toMatchObject([
      {
        attempts: 2,
        error: expect.stringMatching(/^Error: PayloadError: The body has no kind.*Caused by: PayloadError:/s),
      },
    ])
  })

  it('warns of each handler that stop() abandons, and runs it again', async () => {
    const inbox = openInbox({ stopTimeoutMs: 20 })
    const warned: { code?: string }[] = []
    const logger = { warn: (_: string, fields: object) => void warned.push(fields), error() {} }
    const receiver = create({ inbox, logger })
    const failed: unknown[] = []
    receiver.onError((error) => void failed.push(error))
    let attempts = 0
    receiver.onAny(() => {
      attempts += 1
      return new Promise(() => {})
    })
    await receiver.receive(valid)
    const [entry] = await inbox.list()
    for (const starts of [1, 2, 3]) {
      await receiver.start()
      await waitFor(() => attempts === starts)
      await receiver.stop()
      const abandoned = warned.filter(({ code }) => code === 'handler_abandoned')
      const expected = { entryId: entry?.id, subject: entry?.subject, ranForMs: expect.any(Number) }
      expect(abandoned).toEqual(Array(starts).fill(expect.objectContaining(expected)))
    }
    expect(failed).toEqual([])
    expect(await inbox.list()).toMatchObject([{ state: 'waiting', attempts: 0, error: null }])
  })

  it('reports an unknown kind once, and counts it as handled', async () => {
    const inbox = openInbox({ dedupeSeconds: 0 })
    const receiver = create({ inbox })
    const codes: string[] = []
    receiver.onError(({ code }) => void codes.push(code))
    for (const name of ['stringified', 'stringified', 'lowercase'])
      await receiver.receive(request(`unknown-kind-${name}`))
    await receiver.start()
    await waitFor(async () => (await inbox.counts()).completed === 3)
    expect(codes).toEqual(['event_unrecognized', 'event_unrecognized'])
  })

  describe('of a known kind whose data does not fit', () => {
    const unfit = request('payment-without-status')
    const kinds = { NEW: z.object({ id: z.string('has the secret 4711') }) }

    it.each<[string, ReceiverOptions['kinds'], WebhookRequest, string, string]>([
      ['of payhook', undefined, unfit, ': "status" is required, and must be a string', ''],
      ['of the kinds option', kinds, signed('{"type":"NEW","data":"{}"}'), '.', '\n"id" has the secret 4711'],
    ])('is dead at once, with its issues: a kind %s', async (_, ownKinds, body, shown, stored) => {
      const inbox = openInbox()
      const logged: unknown[] = []
      const log = (_message: string, fields: object) => logged.push(fields)
      const receiver = create({ inbox, kinds: ownKinds, logger: { warn: log, error: log } })
      const dead = vi.fn()
      const handler = vi.fn()
      receiver.onDead(dead).on('INBOUND_PAYMENT_STATUS_UPDATED', handler)
      await receiver.start()
      expect(await receiver.receive(body)).toMatchObject({ status: 200 })
      await waitFor(() => dead.mock.calls.length === 1)
      const [entry] = await inbox.list({ state: 'dead' })
      const { kind } = entry as InboxEntry
      const reason = `PayloadError: The data of a notification of kind "${kind}" does not match its schema${shown}`
      expect(entry).toMatchObject({ attempts: 1, error: expect.stringContaining(reason + stored) })
      expect(dead).toHaveBeenCalledWith(expect.objectContaining({ error: (entry as InboxEntry).error }))
      expect(logged).toEqual([expect.objectContaining({ entryId: entry?.id, reason })])
      expect(handler).not.toHaveBeenCalled()
    })

    it.each(['UNRECOGNIZED', 'any'])('is handled by a handler for %s', async (type) => {
      const inbox = openInbox()
      const receiver = create({ inbox, logger: { warn() {}, error() {} } })
      const handled: string[] = []
      if (type === 'any') receiver.onAny((event) => void handled.push(event.type))
      else receiver.on('UNRECOGNIZED', (event) => void handled.push(event.type))
      await receiver.receive(unfit)
      await receiver.start()
      await waitFor(async () => (await inbox.counts()).completed === 1)
      expect(handled).toEqual(['UNRECOGNIZED'])
    })
  })

  it('aborts the signal at the time limit, but starts no parallel attempt', async () => {
    const inbox = openInbox({ maxAttempts: 2 })
    const receiver = create({ inbox, handlerTimeoutMs: 20 })
    let running = 0
    let most = 0
    const reasons: string[] = []
    receiver.onAny(async (_, { signal }) => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      await delay(50)
      running -= 1
      reasons.push(signal.reason.message)
      signal.throwIfAborted()
    })
    await receiver.receive(valid)
    await receiver.start()
    await waitFor(async () => (await inbox.counts()).dead === 1)
    expect(most).toBe(1)
    expect(reasons).toHaveLength(2)
    expect(reasons[0]).toContain('longer than 20 ms')
  })

  it('stores notifications while it is stopped', async () => {
    const inbox = openInbox()
    const receiver = create({ inbox })
    await receiver.start()
    await Promise.all([receiver.stop(), receiver.stop()])
    expect((await receiver.receive(valid)).status).toBe(200)
    expect(await inbox.counts()).toMatchObject({ waiting: 1 })
  })

  it('does not stop another receiver of the same inbox', async () => {
    const inbox = openInbox()
    const handled = Promise.withResolvers<void>()
    const receiver = create({ inbox }).onAny(() => handled.resolve())
    const other = create({ inbox })
    await receiver.start()
    await expect(other.start()).rejects.toThrow('Start only one, with the handlers of all')
    await other.stop()
    await receiver.receive(valid)
    await handled.promise
    await receiver.stop()
  })

  it.each<[string, string, () => Promise<'stored'>]>([
    ['never responds', 'inbox_unavailable', () => new Promise(() => {})],
    ['rejects', 'inbox_unavailable', () => Promise.reject(new Error('redis://user:hunter2@host'))],
    ['throws', 'inbox_unavailable', throwing(new Error('hunter2'))],
    ...[
      ['entry_active', 'inbox_unavailable'] as const,
      // Trying again will not help.
      ['inbox_misconfigured', 'inbox_misconfigured'] as const,
      ['inbox_too_new', 'inbox_misconfigured'] as const,
    ].map(([code, shown]): [string, string, () => Promise<'stored'>] => [
      ...([`rejects with ${code}`, shown] as const),
      () => Promise.reject(new InboxError(code, 'hunter2')),
    ]),
  ])('responds 503 if the inbox %s: %s', async (_, code, put) => {
    const inbox: ReceiverInbox = { put, start: async () => {}, stop: async () => {} }
    const receiver = create({ inbox, inboxTimeoutMs: 20 })
    const errors: unknown[] = []
    receiver.onError(({ code, cause }) => errors.push([code, cause]))
    const reply = await receiver.receive(valid)
    expect(reply.status).toBe(503)
    expect(JSON.parse(reply.body)).toMatchObject({ code })
    expect(reply.body).not.toContain('hunter2')
    expect(errors).toEqual([[code, expect.any(Error)]])
  })

  it.each([null, {}, Promise.resolve(), { put() {}, start() {} }])('rejects %j as an inbox', (inbox) => {
    expect(() => create({ inbox: inbox as never })).toThrow(
      new TypeError('"inbox" option must be an inbox, such as one created with createSqliteInbox()'),
    )
  })

  it('warns once about a likely mistake, and not otherwise', async () => {
    const inbox = openInbox()
    const warned: string[] = []
    const logger = { warn: (message: string) => void warned.push(message), error() {} }
    const apart = create({ inbox, logger })
    await apart.receive(valid)
    expect(warned).toEqual([])

    const forgotten = create({ inbox, logger }).on('ACCOUNT_STATUS_UPDATED', () => {})
    await forgotten.receive(request('inbound-payment-stringified'))
    await forgotten.receive(request('text-utf8'))
    expect(warned).toEqual([expect.stringContaining('start() was not called')])
    await forgotten.start()
    await forgotten.stop()
    await forgotten.receive(request('outbound-payment-inline'))
    expect(warned).toHaveLength(1)

    await apart.start()
    expect(warned).toEqual([expect.anything(), expect.stringContaining('before any handler was added')])
  })

  it('reports why its inbox cannot deliver', async () => {
    const { inbox, consumer } = createDirectInbox()
    const reported = vi.fn()
    const receiver = create({ inbox }).onError(reported)
    await receiver.start()
    const cause = new Error('down')
    consumer().failed(cause)
    const message = 'The inbox cannot deliver notifications.'
    expect(reported).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: 'inbox_unavailable', message, cause }),
      undefined,
    )
  })

  it('leaves no timer and no listener behind', async () => {
    const { inbox, attempt } = createDirectInbox()
    const receiver = create({ inbox, handlerTimeoutMs: 60_000 }).onAny(() => {})
    await receiver.start()
    const before = activeTimers()
    const { signal } = new AbortController()
    await attempt('1', { signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(activeTimers()).toBeLessThanOrEqual(before)
  })

  it('leaves no timer behind for handlers that stop() no longer waits for', async () => {
    const { inbox, attempt } = createDirectInbox()
    const begun = Promise.withResolvers<void>()
    const receiver = create({ inbox, handlerTimeoutMs: 60_000 }).onAny(() => {
      begun.resolve()
      return new Promise(() => {})
    })
    await receiver.start()
    const before = activeTimers()
    const stopped = new AbortController()
    void attempt('1', { signal: stopped.signal })
    await begun.promise
    stopped.abort()
    expect(activeTimers()).toBeLessThanOrEqual(before)
  })

  it('can be started and stopped without an inbox', async () => {
    const receiver = create({ inbox: undefined })
    await receiver.start()
    await receiver.stop()
  })
})
