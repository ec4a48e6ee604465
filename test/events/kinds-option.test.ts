import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import {
  createReceiver,
  identifierSchema,
  type JsonValue,
  type KindSchemas,
  parse,
  paymentDataSchema,
  verifyAndParse,
} from '../../src/index.ts'
import { hmac } from '../contracts/hmac.ts'

const clientId = 'my-client'

/** A schema that throws. */
const throwing = {
  '~standard': {
    version: 1,
    vendor: 'mine',
    validate(): never {
      throw new RangeError('of the schema')
    },
  },
} as const

/** A body, with its data stringified or inline. */
const forms: [string, (kind: string, data: string) => string][] = [
  ['stringified', (kind, data) => JSON.stringify({ type: kind, data })],
  ['inline', (kind, data) => `{"type":"${kind}","data":${data}}`],
]

describe.each(forms)('a schema of the kinds option, data %s', (_form, body) => {
  it('provides the data of a kind that payhook does not know', () => {
    const kinds = { CARD_PAYMENT: paymentDataSchema }
    const data =
      '{"id":9223372036854775807,"status":"Complete","amount":{"number":1250.750,"currency":"USD"},"new":1}'
    expect(parse(body('CARD_PAYMENT', data), { kinds })).toEqual({
      type: 'CARD_PAYMENT',
      data: {
        id: '9223372036854775807',
        status: 'Complete',
        amount: { number: '1250.75', currency: 'USD' },
        new: 1,
      },
    })
  })

  it("replaces payhook's own schema of a kind", () => {
    const kinds = {
      INBOUND_PAYMENT_STATUS_UPDATED: z.object({ id: z.number() }),
      VBA_TRANSACTION: z.array(z.string()),
    }
    expect(parse(body('INBOUND_PAYMENT_STATUS_UPDATED', '{"id":1,"other":2}'), { kinds })).toEqual({
      type: 'INBOUND_PAYMENT_STATUS_UPDATED',
      data: { id: 1 },
    })
    expect(parse(body('VBA_TRANSACTION', '[123456789012345678901, "x"]'), { kinds })).toEqual({
      type: 'VBA_TRANSACTION',
      data: ['123456789012345678901', 'x'],
    })
  })

  it('makes invalid data UNRECOGNIZED, as sent, with the issues', () => {
    const schema = z.preprocess(
      (value) => Object.assign(value as object, { changed: true }),
      z.object({ list: z.array(z.object({ id: z.string() })) }),
    )
    expect(
      parse(body('VBA_TRANSACTION', '{"list":[{"id":1}]}'), { kinds: { VBA_TRANSACTION: schema } }),
    ).toEqual({
      type: 'UNRECOGNIZED',
      kind: 'VBA_TRANSACTION',
      data: { list: [{ id: 1 }] },
      issues: [
        {
          code: 'invalid_type',
          path: ['list', 0, 'id'],
          message: expect.stringContaining('expected string'),
        },
      ],
    })
  })

  it('works the same in verifyAndParse', () => {
    const signed = body('NEW', '"x"')
    const kinds = { NEW: z.string() }
    expect(verifyAndParse({ body: signed, signature: hmac(signed, clientId), clientId, kinds })).toEqual({
      type: 'NEW',
      data: 'x',
    })
  })
})

describe('the kinds option', () => {
  it('takes issues without a path, with a symbol in it, and in an array class of their own', () => {
    class Issues extends Array {}
    const issues = Issues.of({ message: 'is odd' }, { message: 'has a tag', path: [0, Symbol('tag')] })
    const schema = { '~standard': { version: 1, vendor: 'mine', validate: () => ({ issues }) } } as const
    const event = parse('{"type":"ODD","data":1}', { kinds: { ODD: schema } })
    expect(event).toStrictEqual({
      type: 'UNRECOGNIZED',
      kind: 'ODD',
      data: 1,
      issues: [
        { code: 'custom', path: [], message: 'is odd' },
        { code: 'custom', path: [0, 'Symbol(tag)'], message: 'has a tag' },
      ],
    })
  })

  it('lets identifierSchema accept any integer, and only there', () => {
    const kinds = { NEW: z.object({ id: identifierSchema }), THROWS: throwing }
    expect(parse('{"type":"NEW","data":{"id":9223372036854775807}}', { kinds })).toMatchObject({
      data: { id: '9223372036854775807' },
    })
    expect(() => parse('{"type":"THROWS"}', { kinds })).toThrow(RangeError)
    expect(identifierSchema.safeParse(2 ** 53 + 2).error?.issues).toMatchObject([
      { message: 'must be an identifier: an integer, or a string of decimal digits' },
    ])
  })

  it.each<[unknown, string]>([
    [null, '"kinds" option must be a plain object'],
    [[], '"kinds" option must be a plain object'],
    [new Map([['KIND', z.any()]]), '"kinds" option must be a plain object'],
    [Object.create({ KIND: z.any() }), '"kinds" option must be a plain object'],
    [
      new (class {
        get KIND() {
          return z.any()
        }
      })(),
      '"kinds" option must be a plain object',
    ],
    [{ NEW: null }, '"kinds" option must have a Standard Schema for NEW'],
    [{ NEW: { parse() {} } }, '"kinds" option must have a Standard Schema for NEW'],
    [{ UNRECOGNIZED: z.string() }, '"kinds" option must not contain UNRECOGNIZED'],
  ])('is rejected if it is %o', (invalid, message) => {
    const kinds = invalid as KindSchemas
    for (const use of [
      () => createReceiver({ clientId, kinds }),
      () => parse('{"type":"NEW"}', { kinds }),
      () => verifyAndParse({ body: '', signature: null, clientId, kinds }),
    ]) {
      expect(use).toThrow(TypeError)
      expect(use).toThrow(message)
    }
  })
})

it('an asynchronous schema is a TypeError, and causes no unhandled rejection', async () => {
  const validate = () => Promise.reject(new Error('late'))
  const failing = { '~standard': { version: 1, vendor: 'mine', validate } } as const
  for (const schema of [z.string().refine(async () => true), failing]) {
    const use = () => parse('{"type":"NEW","data":"x"}', { kinds: { NEW: schema } })
    expect(use).toThrow(TypeError)
    expect(use).toThrow(/schema for NEW .* is asynchronous/)
  }
  // Vitest fails on an unhandled rejection.
  await new Promise(setImmediate)
})

describe('a receiver with kinds', () => {
  const post = (type: string, data: JsonValue) => {
    const body = JSON.stringify({ type, data })
    return { method: 'POST', url: '/', headers: { 'access-signature': hmac(body, clientId) }, body }
  }

  it("runs the handlers of a kind with its schema's output", async () => {
    const handler = vi.fn()
    const receiver = createReceiver({ clientId, kinds: { NEW: z.object({ at: z.coerce.date() }) } })
    receiver.on('NEW', ({ type, data }) => handler(type, data.at.getTime()))
    expect((await receiver.receive(post('NEW', { at: '2026-11-21' }))).status).toBe(200)
    expect(handler).toHaveBeenCalledExactlyOnceWith('NEW', Date.UTC(2026, 10, 21))
  })

  it.each<[string, JsonValue, KindSchemas[string]]>([
    [
      "the schema's messages, which may quote it",
      4111_1111,
      z.string({ error: ({ input }) => `got ${input}` }),
    ],
    ['its path, which may be a key of the body', { '41111111': 'x' }, z.record(z.string(), z.number())],
  ])('reports invalid data without %s', async (_, data, schema) => {
    const messages: string[] = []
    const receiver = createReceiver({ clientId, kinds: { NEW: schema } }).onError(({ message }) =>
      messages.push(message),
    )
    expect((await receiver.receive(post('NEW', data))).status).toBe(200)
    expect(messages).toEqual([
      expect.stringContaining('kind "NEW" was not recognized: its data does not match its schema'),
    ])
    expect(messages[0]).not.toContain('41111111')
  })

  it('responds 500 if a schema is asynchronous or throws, so that the service tries again', async () => {
    const causes: unknown[] = []
    const kinds = { ASYNC: z.string().refine(async () => true), THROWS: throwing }
    const receiver = createReceiver({ clientId, kinds }).onError(({ code, cause }) =>
      causes.push([code, cause]),
    )
    for (const kind of ['ASYNC', 'THROWS']) expect((await receiver.receive(post(kind, 'x'))).status).toBe(500)
    expect(causes).toEqual([
      ['receiver_failed', expect.any(TypeError)],
      ['receiver_failed', expect.any(RangeError)],
    ])
  })

  it('throws a TypeError if a schema throws nothing', () => {
    const validate = () => {
      throw undefined
    }
    const kinds = { NEW: { '~standard': { version: 1, vendor: 'mine', validate } } as const }
    expect(() => parse('{"type":"NEW","data":"1"}', { kinds })).toThrow(TypeError)
  })

  it('responds 500 if a schema throws an error of payhook', async () => {
    const errors: unknown[] = []
    const validate = () => ({ value: parse('oops') })
    const kinds = { NEW: { '~standard': { version: 1, vendor: 'mine', validate } } as const }
    const receiver = createReceiver({ clientId, kinds }).onError(({ code, cause }) => {
      errors.push(code, (cause as Error).message, ((cause as Error).cause as { code: string }).code)
    })
    expect((await receiver.receive(post('NEW', 'x'))).status).toBe(500)
    const message = 'The schema for NEW in the "kinds" option threw an error.'
    expect(errors).toEqual(['receiver_failed', message, 'payload_not_json'])
  })

  it('rejects a handler for an unknown kind without a schema, and says what to do', () => {
    expect(() =>
      createReceiver({ clientId, kinds: { NEW: z.string() } }).on('OTHER' as never, () => {}),
    ).toThrow(
      /"OTHER" is not an event type\. The types are .*, NEW, UNRECOGNIZED\..*unless the "kinds" option has a schema/,
    )
  })
})
