import { Console } from 'node:console'
import { PassThrough } from 'node:stream'
import bunyan from 'bunyan'
import pino from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import winston from 'winston'
import * as z from 'zod'
import { createReceiver, type Logger } from '../../src/index.ts'
import { limited } from '../../src/receiver/logger.ts'
import { createNotification } from '../../src/testing/index.ts'
import { throwing } from '../contracts/throwing.ts'

const clientId = 'a-client'
const callbackToken = 'a-long-random-token'

const loggers: Record<string, (stream: PassThrough) => Logger> = {
  winston: (stream) => winston.createLogger({ transports: [new winston.transports.Stream({ stream })] }),
  pino: (stream) => pino(stream),
  bunyan: (stream) => bunyan.createLogger({ name: 'app', stream }),
}

/** Creates a logger, and a function that returns the lines written since, as objects. */
function setUp(create: (stream: PassThrough) => Logger) {
  const output = new PassThrough()
  const lines = () =>
    String(output.read() ?? '')
      .split('\n')
      .filter(Boolean)
  return { logger: create(output), read: () => lines().map((line) => JSON.parse(line)) }
}

describe.each(Object.entries(loggers))('%s', (_name, create) => {
  it('shows why a request was rejected', async () => {
    const { logger, read } = setUp(create)
    const receiver = createReceiver({ clientId, callbackToken, logger })
    const url = '/in%3Ftoken=almost-the-right-token'
    await receiver.receive(createNotification('VBA_TRANSACTION', { clientId, url }))
    expect(read()).toEqual([
      expect.objectContaining({
        ...message('payhook: a request was rejected', logger),
        code: 'callback_token_mismatch',
        reason: expect.stringContaining('does every proxy forward the query?'),
        status: 401,
        method: 'POST',
        path: '/in%3Ftoken=…',
      }),
    ])
  })

  it("shows a handler's error", async () => {
    const { logger, read } = setUp(create)
    const receiver = createReceiver({ clientId, callbackToken: false, logger }).onAny(
      throwing(new Error('not booked', { cause: new TypeError('db is down') })),
    )
    const notification = createNotification('VBA_TRANSACTION', { clientId })
    await receiver.receive(notification)
    expect(read()).toEqual([
      expect.objectContaining({
        ...message('payhook: The notification was not handled.', logger),
        code: 'handler_failed',
        kind: 'VBA_TRANSACTION',
        signature: notification.headers['access-signature']?.slice(0, 12),
        attempt: 1,
        error: {
          name: 'Error',
          message: 'not booked',
          stack: expect.stringContaining('logger.test.ts'),
          cause: expect.objectContaining({ name: 'TypeError', message: 'db is down' }),
        },
      }),
    ])
  })
})

it('console prints the message and every field', async () => {
  const output = new PassThrough()
  const receiver = createReceiver({ clientId, callbackToken: false, logger: new Console(output) }).onAny(
    throwing(new Error('not booked', { cause: new TypeError('db is down') })),
  )
  await receiver.receive(createNotification('VBA_TRANSACTION', { clientId }))
  const text: string = output.read()?.toString()
  expect(text).toMatch(/^payhook: The notification was not handled\. \{\n/)
  for (const part of [
    "code: 'handler_failed'",
    "kind: 'VBA_TRANSACTION'",
    'attempt: 1',
    "message: 'db is down'",
  ])
    expect(text).toContain(part)
})

describe('fields', () => {
  /** A receiver, and the lines that it logs. */
  function writing() {
    const written: string[] = []
    const write = (...parts: unknown[]) => void written.push(JSON.stringify(parts))
    const logger = { warn: write, error: write }
    return { written, receiver: createReceiver({ clientId, callbackToken: false, logger }) }
  }

  it('are limited in length, whatever the sender and the handlers provide', async () => {
    const { written, receiver } = writing()
    const endless = 'x'.repeat(500_000)
    const circular = new Error(endless)
    circular.cause = circular
    receiver.onAny(({ type }) => {
      if (type !== 'UNRECOGNIZED') throw circular
    })
    for (const kind of [endless, 'VBA_TRANSACTION']) {
      await receiver.receive(createNotification(kind, { clientId }))
    }
    await receiver.receive({ method: endless, url: `/${endless}`, headers: {}, body: '' })
    expect(written).toHaveLength(3)
    for (const line of written) expect(line.length).toBeLessThan(25_000)
  })

  it('say once that the body was consumed', async () => {
    const { written, receiver } = writing()
    await receiver.receive({ ...createNotification('VBA_TRANSACTION', { clientId }), body: {} as never })
    expect(written).toHaveLength(1)
    expect(written[0]?.split('The body was parsed').length).toBe(2)
  })

  const code = 'ECONNREFUSED'
  it.each<[unknown, object]>([
    ['out of stock', { name: 'string', message: 'out of stock' }],
    [Object.create(null), { name: 'object', message: 'an unprintable value was thrown' }],
    [
      new Error('out of stock', { cause: Object.create(null) }),
      expect.objectContaining({
        message: 'out of stock',
        cause: { name: 'object', message: 'an unprintable value was thrown' },
      }),
    ],
    [
      Object.assign(new AggregateError([Object.assign(new Error('refused by ::1'), { code })]), {
        ...{ code, stack: undefined },
      }),
      {
        name: 'AggregateError',
        message: '',
        code,
        cause: expect.objectContaining({ message: 'refused by ::1', code }),
      },
    ],
  ])('show %o, though it is no usual error', async (thrown, shown) => {
    const logger = { warn() {}, error: vi.fn() }
    const receiver = createReceiver({ clientId, callbackToken: false, logger }).onAny(throwing(thrown))
    await receiver.receive(createNotification('VBA_TRANSACTION', { clientId }))
    expect(logger.error.mock.calls).toEqual([[expect.any(String), expect.objectContaining({ error: shown })]])
  })
})

it('text is only cut if it is too long', () => {
  expect(limited('12345', 5)).toBe('12345')
  expect(limited('123456', 5)).toBe('12345…')
})

describe('path', () => {
  it.each([
    ['https://shop.example/hooks?token=x', '/hooks'],
    ['/caf%C3%A9/hooks?a=b', '/caf%C3%A9/hooks'],
    ['/tenant;v=2/hooks', '/tenant;v=2/hooks'],
    ['/a&b#c', '/a&b'],
    ['h2c://shop.example/hooks', '/hooks'],
    ['https://shop.example/x://y/hooks', '/x://y/hooks'],
    [`/webhooks${callbackToken}`, '/webhooks…'],
    [`/webhooks\\u003ftoken\\u003dalmost-${callbackToken}`, '/webhooks\\u003ftoken\\u003d…'],
    ['/webhooks%3Ftoken%3Dalmost-right', '/webhooks%3Ftoken%3D…'],
  ])('of %s is %s', async (url, path) => {
    const warn = vi.fn()
    const receiver = createReceiver({ clientId, callbackToken, logger: { warn, error() {} } })
    await receiver.receive({ method: 'POST', url, headers: {}, body: '' })
    expect(warn).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ path }))
  })
})

describe('without a logger', () => {
  const fail = throwing(new Error('not booked'))
  const rejected = { method: 'POST', url: '/', headers: {}, body: '' }
  const valid = () => createNotification('VBA_TRANSACTION', { clientId })

  function watchWarnings(): Error[] {
    const warnings: Error[] = []
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation((warning, options) => {
      warnings.push(Object.assign(new Error(String(warning)), options))
    })
    onTestFinished(() => emit.mockRestore())
    return warnings
  }

  it('the first of each cause is a process warning', async () => {
    const warnings = watchWarnings()
    const receiver = createReceiver({ clientId, callbackToken: false }).onAny(fail)
    for (const request of [valid(), valid(), rejected, rejected]) await receiver.receive(request)
    expect(warnings).toMatchObject([
      {
        type: 'PayhookWarning',
        code: 'handler_failed',
        message: 'The notification was not handled. (shown once; set the "logger" option to see all)',
        detail: expect.stringMatching(/^Error: not booked\n.*logger\.test\.ts/s),
      },
      { code: 'signature_missing', message: expect.stringContaining('Did something other than the service') },
    ])
  })

  it('a hook replaces it', async () => {
    const warnings = watchWarnings()
    const receiver = createReceiver({ clientId, callbackToken: false }).onAny(fail)
    receiver.onError(() => {}).onRejected(() => {})
    for (const request of [valid(), rejected]) await receiver.receive(request)
    expect(warnings).toEqual([])
  })

  it('a missing callback token is one, unless it is missing on purpose', () => {
    const warnings = watchWarnings()
    createReceiver({ clientId, callbackToken: false })
    expect(warnings).toEqual([])
    createReceiver({ clientId })
    expect(warnings).toMatchObject([
      { code: 'callback_token_missing', message: expect.stringContaining('not secret') },
    ])
  })

  it.each([
    ['a forgotten start()', 'stored', ['start_missing']],
    ['a duplicate', 'duplicate', []],
  ] as const)('%s of an inbox that says "%s" gives %j', async (_, outcome, codes) => {
    const warnings = watchWarnings()
    const inbox = { put: async () => outcome, start: async () => {}, stop: async () => {} }
    const receiver = createReceiver({ clientId, callbackToken: false, inbox })
    if (outcome === 'stored') receiver.onAny(() => {})
    for (const request of [valid(), valid()]) await receiver.receive(request)
    expect(warnings).toMatchObject(codes.map((code) => ({ code })))
  })

  it('a failing hook is one', async () => {
    const warnings = watchWarnings()
    await createReceiver({ clientId, callbackToken: false }).onRejected(fail).receive(rejected)
    expect(warnings).toMatchObject([
      { message: expect.stringContaining('a hook failed'), detail: expect.stringContaining('not booked') },
    ])
  })
})

it('messages contain no line breaks, colors or formats of the sender', async () => {
  const messages: string[] = []
  const logger = { warn: (message: string) => void messages.push(message), error() {} }
  const kinds = { BALANCES: z.record(z.string(), z.number()) }
  const receiver = createReceiver({ clientId, callbackToken: false, kinds, logger })
  const hostile = 'A\nERROR \u001b[2J\u009b31m%s%c'
  await receiver.receive(createNotification(hostile, { clientId }))
  await receiver.receive(createNotification('BALANCES', { clientId, data: { [hostile]: 'x' } }))
  expect(messages).toEqual([
    expect.stringContaining('of kind "A?ERROR ??2J?31m?s?c" was not recognized: "type" is a kind that'),
    expect.stringContaining('of kind "BALANCES" was not recognized: its data does not match its schema.'),
  ])
})

/** pino and bunyan name the message `msg`. */
function message(text: string, logger: Logger): object {
  return 'log' in logger ? { message: text } : { msg: text }
}
