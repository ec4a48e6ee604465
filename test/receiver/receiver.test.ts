import { inspect } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { createReceiver, HandlingError, type ReceiverOptions, type WebhookRequest } from '../../src/index.ts'
import { activeTimers } from '../contracts/active-timers.ts'
import { throwing } from '../contracts/throwing.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { clients, fixture } from '../fixture-cases.ts'
import { request, signed } from './requests.ts'

const clientId = clients.default
const payment = fixture('outbound-payment-stringified')

const TOKEN = 'a-long-random-token'
const OLD_TOKEN = 'the-long-token-of-before'

type Fn = (value: unknown) => void

const valid = request('outbound-payment-stringified')
const unknown = request('unknown-kind-stringified')

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

describe('createReceiver', () => {
  it.each<[object | undefined, string]>([
    [{}, '"clientId" option must be'],
    [{ clientId: '' }, '"clientId" option must be'],
    [{ clientId, callbackToken: '' }, '"callbackToken" option must be'],
    [
      { clientId, callbackToken: '15-characters-x' },
      '"callbackToken" option must be a string of 16 characters',
    ],
    [
      { clientId, callbackToken: [TOKEN, 'abc'] },
      '"callbackToken" option must be a string of 16 characters or more without spaces around it, or a list of them',
    ],
    [{ clientId, callbackToken: `${TOKEN}, ${TOKEN}`.split(',') }, 'without spaces around it'],
    [{ clientId, maxBodyBytes: 0 }, '"maxBodyBytes" option must be a positive integer'],
    [{ clientId, maxBodyBytes: Number.NaN }, '"maxBodyBytes" option must be a positive integer'],
    [{ clientId, bodyTimeoutMs: -1 }, '"bodyTimeoutMs" option must be an integer from 1 to 2147483647'],
    [
      { clientId, handlerTimeoutMs: 2 ** 31 },
      '"handlerTimeoutMs" option must be an integer from 1 to 2147483647',
    ],
    [{ clientId, logger: {} }, '"logger" option must be an object with the methods'],
    [{ clientId, concurrencyKey: 'payment' }, '"concurrencyKey" option must be a function'],
    [{ clientId, now: 5 }, '"now" option must be a function'],
    [{ clientId, clientID: 'x' }, '"clientID" is not an option; the options are clientId,'],
    [undefined, 'createReceiver(options): options must be an object'],
    ...['transaction', 'idempotencyKey'].map((name): [object, string] => [
      { clientId, [name]: () => null },
      `"${name}" option needs an "inbox": without one, there is no idempotency key to claim`,
    ]),
  ])('rejects %j', (options, message) => {
    expect(() => createReceiver(options as ReceiverOptions)).toThrow(TypeError)
    expect(() => createReceiver(options as ReceiverOptions)).toThrow(message)
  })

  it('does not print the client id', () => {
    const receiver = createReceiver({ clientId, callbackToken: TOKEN })
    const shown = inspect(receiver, { depth: 9, showHidden: true }) + JSON.stringify(receiver)
    expect(shown).not.toContain(clientId)
    expect(shown).not.toContain(TOKEN)
  })
})

describe('handlers', () => {
  it('run one after the other, those of the type first', async () => {
    const calls: string[] = []
    const receiver = createReceiver({ clientId })
    receiver
      .onAny(() => calls.push('any'))
      .on('OUTBOUND_PAYMENT_STATUS_UPDATED', async () => {
        await Promise.resolve()
        calls.push('first')
      })
      .on('OUTBOUND_PAYMENT_STATUS_UPDATED', () => calls.push('second'))
      .on('INBOUND_PAYMENT_STATUS_UPDATED', () => calls.push('of another type'))
    expect((await receiver.receive(valid)).status).toBe(200)
    expect(calls).toEqual(['first', 'second', 'any'])
  })

  it('that a handler adds run from the next notification on', async () => {
    const added = vi.fn()
    const receiver = createReceiver({ clientId })
    receiver.on('OUTBOUND_PAYMENT_STATUS_UPDATED', () => {
      receiver.on('OUTBOUND_PAYMENT_STATUS_UPDATED', added)
      receiver.onAny(added)
    })
    await receiver.receive(valid)
    expect(added).not.toHaveBeenCalled()
    await receiver.receive(valid)
    expect(added).toHaveBeenCalledTimes(2)
  })

  it.each<[string, () => unknown]>([
    ['throws', throwing(new Error('secret of the handler'))],
    ['rejects', () => Promise.reject(new Error('secret of the handler'))],
    ['throws a value that is not an error', throwing(undefined)],
    ['throws a value that cannot be printed', throwing(Object.create(null))],
  ])('respond 500 if one %s, and the others do not run', async (_name, fail) => {
    const after = vi.fn()
    const errors: unknown[] = []
    const receiver = createReceiver({ clientId })
      .onAny(fail)
      .onAny(after)
      .onError((error, webhook) => errors.push([error, webhook]))
    const reply = await receiver.receive(valid)
    expect(reply).toMatchObject({
      status: 500,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    expect(JSON.parse(reply.body)).toEqual({
      code: 'handler_failed',
      message: 'The notification was not handled.',
    })
    expect(errors).toEqual([
      [expect.any(HandlingError), { event: payment.expect, context: expect.anything() }],
    ])
    expect(after).not.toHaveBeenCalled()
  })

  it('do not have their signal aborted if one fails, as nobody may wait for what it has begun', async () => {
    const signals: AbortSignal[] = []
    const receiver = createReceiver({ clientId }).onAny((_event, { signal }) => {
      signals.push(signal)
      return Promise.reject(new Error('failed'))
    })
    expect((await receiver.receive(valid)).status).toBe(500)
    expect(signals).toMatchObject([{ aborted: false }])
  })

  it.each<[string, (pending: Promise<void>) => unknown]>([
    ['takes too long', (pending) => pending],
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library, which does not adopt promises.
    ['waits for a promise that takes too long', (pending) => ({ then: (done: Fn) => done(pending) })],
  ])('respond 500 if one %s, its signal is aborted, and no other starts', async (_name, run) => {
    const first = Promise.withResolvers<void>()
    const receiver = createReceiver({ clientId, handlerTimeoutMs: 20 })
    const signals: AbortSignal[] = []
    const errors: unknown[] = []
    receiver.onAny((_event, { signal }) => {
      signals.push(signal)
      return run(first.promise)
    })
    const late = vi.fn()
    receiver.onAny(late).onError((error) => errors.push(error))
    expect((await receiver.receive(valid)).status).toBe(500)
    const reason = { message: 'The handlers took longer than 20 ms ("handlerTimeoutMs").' }
    expect(signals).toMatchObject([{ aborted: true, reason }])
    expect(errors).toMatchObject([{ cause: reason }])
    first.resolve()
    await first.promise
    await new Promise(setImmediate)
    expect(late).not.toHaveBeenCalled()
  })

  it('get a context that describes the delivery', async () => {
    const receiver = createReceiver({ clientId: ['other', clientId], now: () => 1_800_000_000_000 })
    const handler = vi.fn()
    receiver.onAny(handler)
    await receiver.receive(valid)
    const [, context] = handler.mock.calls[0] as [unknown, { signal: AbortSignal }]
    expect(context).toMatchObject({
      signature: payment.signature,
      kind: 'OUTBOUND_PAYMENT_STATUS_UPDATED',
      subject: 'payment:730112',
      clientId,
      receivedAt: new Date(1_800_000_000_000),
      attempt: 1,
      entryId: undefined,
      idempotencyKey: undefined,
      source: 'service',
      rawBody: payment.body,
    })
    expect(context.signal.aborted).toBe(false)
    expect(context.signal).toBe(context.signal)
  })

  it('get the stored subject, also of a body with repeated keys', async () => {
    const inbox = { put: vi.fn(async () => 'stored' as const), start: async () => {}, stop: async () => {} }
    const request = signed(
      '{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":"{\\"id\\":1,\\"id\\":2,\\"status\\":\\"Sent\\"}"}',
    )
    const handler = vi.fn()
    await createReceiver({ clientId }).onAny(handler).receive(request)
    await createReceiver({ clientId, inbox }).receive(request)
    const [[, { subject }]] = handler.mock.calls as [[unknown, { subject: string }]]
    expect(subject).toMatch(/^payment:/)
    expect(inbox.put).toHaveBeenCalledWith(expect.objectContaining({ subject }))
  })

  it('get the time when the request arrived, not the end of its body', async () => {
    let time = 1000
    const handler = vi.fn()
    const receiver = createReceiver({ clientId, now: () => time }).onAny(handler)
    const body = async () => {
      time = 5000
      return payment.body
    }
    await receiver.receive({ ...valid, body })
    expect(handler.mock.calls[0]?.[1]).toMatchObject({ receivedAt: new Date(1000) })
  })

  it('must be functions for known types', () => {
    const receiver = createReceiver({ clientId })
    expect(() => receiver.on('PAYMENT' as never, () => {})).toThrow(
      /"PAYMENT" is not an event type\. The types are ACCOUNT_/,
    )
    for (const add of ['onAny', 'onError', 'onRejected'] as const) {
      expect(() => receiver[add]('x' as never)).toThrow(new TypeError('a handler must be a function'))
    }
    for (const generator of [function* () {}, async function* () {}]) {
      expect(() => receiver.onAny(generator)).toThrow(
        new TypeError('a handler must not be a generator function'),
      )
    }
  })
})

describe('an UNRECOGNIZED event', () => {
  it('gets a 200, and is reported', async () => {
    const errors: HandlingError[] = []
    const receiver = createReceiver({ clientId }).onError((error) => errors.push(error as HandlingError))
    const any = vi.fn()
    receiver.onAny(any)
    expect((await receiver.receive(unknown)).status).toBe(200)
    expect(any).toHaveBeenCalledOnce()
    expect(errors).toMatchObject([{ code: 'event_unrecognized' }])
    expect(errors[0]?.message).toContain('of kind "')
  })

  it('is reported once its handlers have succeeded, if they fail at first', async () => {
    const codes: string[] = []
    const receiver = createReceiver({ clientId }).onError(({ code }) => void codes.push(code))
    receiver.onAny(vi.fn().mockRejectedValueOnce(new Error('the first time')))
    for (let attempt = 1; attempt <= 3; attempt++) await receiver.receive(unknown)
    expect(codes).toEqual(['handler_failed', 'event_unrecognized'])
  })

  it('is logged with the fields of its notification, whatever a handler changes', async () => {
    const warn = vi.fn()
    const receiver = createReceiver({ clientId, callbackToken: false, logger: { warn, error() {} } })
    receiver.onAny((event, context) => {
      Object.assign(context, { kind: 5 })
      Reflect.deleteProperty(event, 'issues')
    })
    expect((await receiver.receive(unknown)).status).toBe(200)
    const { signature, expect: expected } = fixture('unknown-kind-stringified')
    const kind = (expected as { kind?: string }).kind
    expect(warn).toHaveBeenCalledWith(expect.anything(), {
      code: 'event_unrecognized',
      kind,
      signature: signature?.slice(0, 12),
      attempt: 1,
    })
  })

  it('is not reported if there is a handler for it', async () => {
    const onError = vi.fn()
    const handler = vi.fn()
    const receiver = createReceiver({ clientId }).onError(onError).on('UNRECOGNIZED', handler)
    await receiver.receive(unknown)
    expect(handler).toHaveBeenCalledOnce()
    expect(onError).not.toHaveBeenCalled()
  })

  it('leaves nothing of a kind of a million letters in memory', async () => {
    const receiver = createReceiver({ clientId, callbackToken: false, logger: { warn() {}, error() {} } })
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const read = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = read()
    for (let number = 0; number < 20; number++) {
      const type = `${number}`.padEnd(1_000_000, 'x')
      expect((await receiver.receive(signed(JSON.stringify({ type })))).status).toBe(200)
    }
    await waitFor(() => read() < before + 10_000_000)
    // Used until here, so that it is not collected itself.
    expect((await receiver.receive(valid)).status).toBe(200)
  })
})

describe('hooks', () => {
  it.each<[string, () => unknown]>([
    ['throw', throwing(new Error('hook'))],
    ['reject', () => Promise.reject(new Error('hook'))],
    ['never end', () => new Promise(() => {})],
  ])('do not change the reply if they %s', async (_name, hook) => {
    const logger = { warn: vi.fn(), error: vi.fn() }
    const receiver = createReceiver({ clientId, callbackToken: false, logger }).onError(hook).onRejected(hook)
    expect((await receiver.receive(unknown)).status).toBe(200)
    expect((await receiver.receive({ ...valid, method: 'GET' })).status).toBe(405)
    expect(logger.error).toHaveBeenCalledTimes(2)
  })

  it('cannot change the reply by changing their error', async () => {
    const receiver = createReceiver({ clientId }).onAny(throwing(new Error('hunter2')))
    receiver.onError((error) => Object.assign(error, { message: String(error.cause), status: 200 }))
    receiver.onRejected((error) => Object.assign(error, { status: 200 }))
    const failed = await receiver.receive(valid)
    expect([failed.status, failed.body]).toEqual([500, expect.not.stringContaining('hunter2')])
    expect((await receiver.receive({ ...valid, headers: {} })).status).toBe(401)
  })
})

it.each([undefined, 5, null])(
  'a handler that changes what it gets cannot break the report: kind %j',
  async (kind) => {
    const error = vi.fn()
    const receiver = createReceiver({ clientId, callbackToken: false, logger: { warn() {}, error } })
    receiver.onAny((event, context) => {
      Object.assign(context, { kind, signature: kind })
      Object.assign(event, { type: kind })
      throw new Error('a bug')
    })
    expect((await receiver.receive(valid)).status).toBe(500)
    const [[, fields]] = error.mock.calls as [[string, object]]
    expect(fields).toMatchObject({ kind: payment.expect.type, signature: payment.signature?.slice(0, 12) })
  },
)

describe('a kind without a handler', () => {
  it('is logged once', async () => {
    const warn = vi.fn()
    const receiver = createReceiver({ clientId, callbackToken: false, logger: { warn, error() {} } })
    receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', () => {})
    for (const request of [valid, valid]) await receiver.receive(request)
    expect(warn.mock.calls).toEqual([
      [
        'payhook: a notification of the kind OUTBOUND_PAYMENT_STATUS_UPDATED counts as handled, but this process has no handler for it',
        { code: 'kind_unhandled', kind: 'OUTBOUND_PAYMENT_STATUS_UPDATED' },
      ],
    ])
  })

  it('is not logged if there is a handler for any kind', async () => {
    const warn = vi.fn()
    await createReceiver({ clientId, callbackToken: false, logger: { warn, error() {} } })
      .onAny(() => {})
      .receive(valid)
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('a receiver', () => {
  it.each<[string, () => unknown]>([
    ['throws', throwing(new Error('logger'))],
    ['rejects', () => Promise.reject(new Error('logger'))],
  ])('survives a logger that %s', async (_name, log) => {
    const receiver = createReceiver({ clientId, callbackToken: false, logger: { warn: log, error: log } })
    receiver.onAny(throwing(new Error('handler')))
    expect((await receiver.receive(valid)).status).toBe(500)
    expect((await receiver.receive({ ...valid, method: 'GET' })).status).toBe(405)
  })

  it('awaits any kind of promise from a handler', async () => {
    const receiver = createReceiver({ clientId })
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library, whose then returns nothing.
    receiver.onAny(() => ({ then: (done: () => void) => void queueMicrotask(done) }))
    receiver.onAny(throwing(new Error('after it')))
    expect((await receiver.receive(valid)).status).toBe(500)
  })

  it('ignores a body that ends after its time limit', async () => {
    const handler = vi.fn()
    const receiver = createReceiver({ clientId, bodyTimeoutMs: 1 }).onAny(handler)
    const late = Promise.withResolvers<Uint8Array>()
    const reply = await receiver.receive({ ...valid, body: () => late.promise })
    expect(reply.body).toContain('body_incomplete')
    late.resolve(payment.body)
    await late.promise
    await new Promise(setImmediate)
    expect(handler).not.toHaveBeenCalled()
  })

  it('returns frozen headers, as replies are shared', async () => {
    const reply = await createReceiver({ clientId }).receive(valid)
    expect(() => Object.assign(reply.headers, { 'x-leak': '1' })).toThrow(TypeError)
  })
})

describe('receive', () => {
  it('leaves no timers', async () => {
    const before = activeTimers()
    const receiver = createReceiver({ clientId }).onAny(async () => {})
    await receiver.receive({ ...valid, body: async () => payment.body })
    expect(activeTimers()).toBe(before)
  })

  const at = (body: () => unknown) => Object.defineProperty({ ...valid }, 'body', { get: body })
  it.each<[string, object, number, string]>([
    ['a parsed body', { ...valid, body: JSON.parse(String(payment.body)) }, 500, 'body_consumed'],
    ['no body', { ...valid, body: null }, 500, 'body_consumed'],
    ['a body that is read as an object', { ...valid, body: async () => ({}) }, 500, 'body_consumed'],
    ['a body that is a pending promise', { ...valid, body: new Promise(() => {}) }, 500, 'body_consumed'],
    [
      'a lost connection',
      { ...valid, body: async () => throwing(new Error('reset'))() },
      400,
      'body_incomplete',
    ],
    ['a revoked proxy', { ...valid, body: () => Promise.reject(revoked()) }, 400, 'body_incomplete'],
    [
      'a body that throws at once',
      { ...valid, body: throwing(new Error('at once')) },
      400,
      'body_incomplete',
    ],
    ['a lazy parser that fails', at(throwing(new Error('lazy'))), 500, 'receiver_failed'],
    ['no headers', { ...valid, headers: null }, 500, 'receiver_failed'],
    ['a URL without a text', { ...valid, url: Object.create(null), headers: {} }, 500, 'receiver_failed'],
    ['no URL', { method: 'POST', headers: {}, body: 'x' }, 401, 'signature_missing'],
    ['nothing', {}, 500, 'receiver_failed'],
  ])('replies to %s', async (_name, broken, status, code) => {
    const errors: string[] = []
    const receiver = createReceiver({ clientId }).onError((error) => void errors.push(error.code))
    const reply = await receiver.receive(broken as WebhookRequest)
    expect([reply.status, JSON.parse(reply.body).code]).toEqual([status, code])
    expect(errors).toEqual(status === 500 ? [code] : [])
  })

  it('reads no body before method, encoding, length and token are checked', async () => {
    const body = vi.fn()
    const receiver = createReceiver({ clientId, callbackToken: TOKEN })
    const headers = { 'access-signature': 'x' }
    for (const rejected of [
      { method: 'GET' },
      { headers: { 'Content-Encoding': 'gzip' } },
      { headers: { 'Content-Length': '1048577' } },
      { url: '/?token=wrong' },
    ]) {
      await receiver.receive({ method: 'POST', url: `/?token=${TOKEN}`, headers, body, ...rejected })
    }
    expect(body).not.toHaveBeenCalled()
  })

  it('measures the length of a string in bytes', async () => {
    const text = fixture('text-utf8')
    const body = text.body.toString()
    expect(body.length).toBeLessThan(text.body.length)
    const receiver = createReceiver({ clientId, maxBodyBytes: body.length })
    expect((await receiver.receive(request('text-utf8', { body }))).status).toBe(413)
  })

  it('accepts both callback tokens during a rotation', async () => {
    const receiver = createReceiver({ clientId, callbackToken: [OLD_TOKEN, TOKEN] })
    const statuses = []
    for (const token of [OLD_TOKEN, TOKEN, 'neither', '']) {
      statuses.push((await receiver.receive({ ...valid, url: `/in?token=${token}#fragment` })).status)
    }
    expect(statuses).toEqual([200, 200, 401, 401])
  })

  it.each<[Partial<WebhookRequest>, number, string]>([
    [signed('{'), 400, 'The body is not a notification.'],
    [{ headers: {} }, 401, 'The request is not authenticated.'],
    [{ method: 'GET' }, 405, 'Only POST, PUT and PATCH are allowed.'],
    [{ headers: { 'content-length': '9999999' } }, 413, 'The body is too large.'],
    [{ headers: { 'content-encoding': 'gzip' } }, 415, 'Compressed bodies are not supported.'],
  ])('tells the sender no more than necessary: %o', async (change, status, message) => {
    const reply = await createReceiver({ clientId }).receive({ ...valid, ...change })
    expect(reply.status).toBe(status)
    expect(JSON.parse(reply.body)).toEqual({ code: expect.any(String), message })
    expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.body)))
    expect(reply.headers.allow).toBe(status === 405 ? 'POST, PUT, PATCH' : undefined)
  })
})
