import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  accountDataSchema,
  invoiceDataSchema,
  isPayhookError,
  parse,
  paymentDataSchema,
  sign,
  type UnrecognizedEvent,
  verify,
  verifyAndParse,
  type WebhookEvent,
} from '../src/index.ts'
import { hmac } from './contracts/hmac.ts'
import { clients, fixture, fixtureCases, knownClients } from './fixture-cases.ts'

const clientId = clients.default

describe('verifyAndParse', () => {
  it.each(fixtureCases)('$name', ({ body, signature, expect: expected }) => {
    const read = () => verifyAndParse({ body, signature, clientId: knownClients })
    if (expected.code !== undefined) {
      expect(read).toThrow(expect.objectContaining({ code: expected.code }))
      return
    }
    const event = read()
    if (expected.type !== 'UNRECOGNIZED') {
      expect(event).toEqual(expected)
      return
    }
    const { issues, ...rest } = event as UnrecognizedEvent
    expect(rest).toEqual({ type: expected.type, kind: expected.kind, data: expected.data })
    expect(issues).toHaveLength(expected.issues.length)
    expect(issues).toMatchObject(expected.issues)
    for (const issue of issues) expect(issue.message).not.toBe('Invalid input')
  })

  it('returns the same event for a string, a view, a part of a buffer and an ArrayBuffer', () => {
    const { body, signature, expect: expected } = fixture('text-utf8')
    const { buffer } = new Uint8Array([1, 2, 3, ...body, 4, 5])
    const part = new DataView(buffer, 3, body.length) as never
    for (const form of [body.toString(), body, part, Uint8Array.from(body).buffer]) {
      expect(verifyAndParse({ body: form, signature, clientId })).toEqual(expected)
    }
  })

  it('rejects a string that cannot come from UTF-8 bytes', () => {
    const body = '{"type":"\ud800"}'
    expect(() => verifyAndParse({ body, signature: hmac(body, clientId), clientId })).toThrow(
      expect.objectContaining({ code: 'payload_not_utf8' }),
    )
  })

  it('shares no objects between events', () => {
    const { body, signature } = fixture('outbound-payment-stringified')
    const [one, other] = [1, 2].map(() => verifyAndParse({ body, signature, clientId }))
    expect(one).toEqual(other)
    expect(one?.data).not.toBe(other?.data)
  })
})

describe('an unknown option', () => {
  const { body, signature } = fixture('text-utf8')
  const callbackToken = 'a-long-random-token'

  it.each<[string, () => unknown]>([
    ['sign', () => sign({ body, clientId, callbackToken } as never)],
    ['verify', () => verify({ body, signature, clientId, callbackToken } as never)],
    ['verifyAndParse', () => verifyAndParse({ body, signature, clientId, callbackToken } as never)],
    ['parse', () => parse(body, { callbackToken } as never)],
  ])('is rejected by %s', (_name, call) => {
    expect(call).toThrow(TypeError)
    expect(call).toThrow('"callbackToken" is not an option; the options are ')
  })
})

describe('hostile input', () => {
  const secrets = [clientId, clients.second]

  function attack(body: string | Uint8Array, signature: unknown): void {
    const expected = hmac(body, clientId)
    try {
      verifyAndParse({ body, signature: signature as string, clientId: knownClients })
    } catch (error) {
      if (!isPayhookError(error)) throw error
      // Without the stack and without an expect() for each piece, which are slow.
      const shown = `${error}${JSON.stringify(error)}${error.cause}`
      const known = signature === expected ? secrets : [...secrets, expected]
      const text = Buffer.from(body).toString().slice(0, 400)
      // Eight equal characters in a row are not a coincidence.
      const pieces = Array.from({ length: Math.floor(text.length / 4) - 1 }, (_, at) =>
        text.slice(4 * at, 4 * at + 8),
      )
      const found =
        known.find((secret) => shown.includes(secret)) ??
        pieces.find((piece) => error.message.includes(piece))
      if (found !== undefined) throw new Error(`"${found}" is shown by ${shown}`)
    }
  }

  const bytes = fc.uint8Array({ maxLength: 200 })
  const shuffled = fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: 8, maxLength: 20 })
    .map((digits) => `secret-${digits.join('')}`)

  it('throws only payhook errors for any signed bytes', () => {
    fc.assert(
      fc.property(bytes, (body) => attack(body, hmac(body, clientId))),
      { numRuns: 1500 },
    )
  })

  it('throws only payhook errors for any signed JSON', () => {
    const json = fc.jsonValue({ maxDepth: 4 })
    const envelope = fc.record(
      {
        type: fc.oneof(
          fc.constantFrom('ACCOUNT_STATUS_UPDATED', 'INBOUND_PAYMENT_STATUS_UPDATED', 'VBA_TRANSACTION'),
          json,
        ),
        data: fc.oneof(json, fc.json()),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(json, envelope), (value) => {
        const body = JSON.stringify(value)
        attack(body, hmac(body, clientId))
      }),
      { numRuns: 1500 },
    )
  })

  it('throws only payhook errors for any header', () => {
    const header = fc.oneof(
      // Any code unit. fast-check's unit 'binary' takes a second to set up.
      fc.string({ unit: fc.integer({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
      fc.string({ minLength: 64, maxLength: 64 }),
      fc.array(fc.string()),
      fc.anything(),
    )
    const { body } = fixture('outbound-payment-stringified')
    fc.assert(
      fc.property(header, (signature) => attack(body, signature)),
      { numRuns: 1500 },
    )
  })

  it('reveals nothing of the body in errors', () => {
    fc.assert(
      fc.property(
        shuffled,
        fc.constantFrom('{"%', '%', '["%"]', '{"type":["%"]}', '{"type":5,"data":"%"}'),
        (secret, shape) => {
          const body = shape.replace('%', secret)
          attack(body, hmac(body, clientId))
          attack(body, 'f'.repeat(64))
        },
      ),
    )
  })

  it('ignores inherited properties', () => {
    const body = '{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":{"__proto__":{"id":1,"status":"Complete"}}}'
    expect(parse(body)).toMatchObject({ type: 'UNRECOGNIZED' })
    expect(({} as Record<string, unknown>).status).toBeUndefined()
  })

  it('accepts any nesting depth', () => {
    const depth = 100_000
    const deep = `${'['.repeat(depth)}12345678901234567890${']'.repeat(depth)}`
    for (const kind of ['VBA_TRANSACTION', 'INBOUND_PAYMENT_STATUS_UPDATED', 'NEW']) {
      expect(parse(`{"type":"${kind}","data":${deep}}`)).toBeDefined()
    }
    const event = parse(
      `{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":{"id":1,"status":"x","extra":${deep}}}`,
    )
    expect(event.type).toBe('INBOUND_PAYMENT_STATUS_UPDATED')
  })
})

describe('exact numbers', () => {
  const digits = (most: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: most })
  const identifier = fc.tuple(fc.constantFrom('', '', '', '-'), digits(30)).map(([sign, all]) => {
    const trimmed = all.replace(/^0+(?=\d)/, '')
    return trimmed === '0' ? '0' : sign + trimmed
  })
  const amount = fc
    .tuple(identifier, fc.option(digits(20)))
    .map(([whole, part]) => (part === null ? whole : `${whole}.${part}`))

  it('keep every digit of 100,000 identifiers and amounts', () => {
    fc.assert(
      fc.property(identifier, identifier, amount, fc.boolean(), (id, accountId, number, inline) => {
        const text = `{"id":${id},"status":"Complete","payerAccountId":${accountId},"amount":{"number":${number},"currency":"USD"}}`
        const event = parse(
          `{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":${inline ? text : JSON.stringify(text)}}`,
        )
        const { data } = event as Extract<WebhookEvent, { type: 'INBOUND_PAYMENT_STATUS_UPDATED' }>
        if (data.id !== id || data.payerAccountId !== accountId || data.amount?.number !== plain(number)) {
          throw new Error(`${text} gave ${JSON.stringify(event)}`)
        }
      }),
      // Three per body.
      { numRuns: 34_000 },
    )
  })

  it.each([
    '9007199254740990.9999',
    '0.99999999999999999999',
    '48121.00000000000000000001',
    '1e-400',
    '1.5',
    '1e1000',
  ])('do not accept %s as an identifier', (id) => {
    const event = parse(`{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":{"id":${id},"status":"x"}}`)
    expect(event).toMatchObject({ type: 'UNRECOGNIZED', issues: [{ path: ['id'] }] })
  })

  it.each([
    ['1e3', '1000'],
    ['9007199254740993.0', '9007199254740993'],
    ['1e30', `1${'0'.repeat(30)}`],
    ['-0', '0'],
  ])('read %s as the identifier %s', (id, expected) => {
    const event = parse(`{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":{"id":${id},"status":"x"}}`)
    expect(event).toMatchObject({ type: 'INBOUND_PAYMENT_STATUS_UPDATED', data: { id: expected } })
  })

  it('keep the value of any double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const event = parse(
          `{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":{"id":1,"status":"x","amount":{"number":${number},"currency":"USD"}}}`,
        ) as Extract<WebhookEvent, { type: 'INBOUND_PAYMENT_STATUS_UPDATED' }>
        expect(event.data.amount?.number).not.toMatch(/e/i)
        expect(Number(event.data.amount?.number)).toBe(number === 0 ? 0 : number)
      }),
      { numRuns: 10_000 },
    )
  })

  /** A decimal without insignificant zeros. */
  function plain(number: string): string {
    const short = number.includes('.') ? number.replace(/\.?0+$/, '') : number
    return short === '-0' ? '0' : short
  }
})

describe('keys with an escape', () => {
  it('may be the names of envelope fields', () => {
    parse('{"type":"VBA_TRANSACTION","d\\\\u0":[]}')
    expect(parse('{"type":"VBA_TRANSACTION","d\\u0061ta":{"a\\"":1}}')).toEqual({
      type: 'VBA_TRANSACTION',
      data: { 'a"': 1 },
    })
    expect(() => parse('{"t\\\\u0":[]}')).toThrow(expect.objectContaining({ code: 'envelope_invalid' }))
    expect(parse('{"t\\u0079pe":"VBA_TRANSACTION"}')).toEqual({ type: 'VBA_TRANSACTION', data: null })
  })
})

describe('account flags', () => {
  const account = (fields: object, inline: boolean) => {
    const data = { id: 1, ...fields }
    return parse(
      JSON.stringify({ type: 'ACCOUNT_STATUS_UPDATED', data: inline ? data : JSON.stringify(data) }),
    )
  }

  it.each<[object, object]>([
    [
      { isPaymentReady: true, isVerified: false },
      { paymentReady: true, verified: false },
    ],
    [
      { isPaymentReady: true, verified: false, other: null },
      { paymentReady: true, verified: false, other: null },
    ],
    [
      { isPaymentReady: true, paymentReady: false, verified: true, isVerified: 'x' },
      { isPaymentReady: true, paymentReady: false, verified: true, isVerified: 'x' },
    ],
  ])('may have their older names: %j', (fields, expected) => {
    const data = { id: '1', ...expected }
    for (const inline of [true, false])
      expect(account(fields, inline)).toStrictEqual({ type: 'ACCOUNT_STATUS_UPDATED', data })
    const wire = JSON.parse(JSON.stringify({ id: 1, ...fields }))
    const before = structuredClone(wire)
    expect(accountDataSchema.parse(wire)).toStrictEqual(data)
    expect(wire).toStrictEqual(before)
  })

  it('keep their older names if the data does not match', () => {
    expect(account({ isPaymentReady: 'yes', isVerified: true }, false)).toMatchObject({
      type: 'UNRECOGNIZED',
      data: { id: 1, isPaymentReady: 'yes', isVerified: true },
      issues: [{ path: ['paymentReady'] }],
    })
    expect(account({ paymentReady: null, isPaymentReady: true, verified: true }, false).type).toBe(
      'UNRECOGNIZED',
    )
  })

  it('lose no digit beside them', () => {
    const text =
      '{"id":9223372036854775807,"isPaymentReady":true,"isVerified":true,"limit":12345678901234567890}'
    expect(parse(`{"type":"ACCOUNT_STATUS_UPDATED","data":${text}}`)).toStrictEqual({
      type: 'ACCOUNT_STATUS_UPDATED',
      data: {
        id: '9223372036854775807',
        limit: '12345678901234567890',
        paymentReady: true,
        verified: true,
      },
    })
  })
})

describe('invoice dates', () => {
  const invoice = (dueDate: unknown) =>
    parse(
      JSON.stringify({ type: 'INBOUND_INVOICE_STATUS_UPDATED', data: { id: 1, status: 'Sent', dueDate } }),
    )

  it.each([
    '2026-11-21',
    '2028-02-29',
    '2026-11-21T10:30:00Z',
    '2026-11-21T10:30:00.123456+02:00',
    '2026-11-21T10:30:00.000+0000',
    '2026-11-21T10:30-05',
    '2026-11-21T10:30:00',
    1_795_219_200_000,
    1_795_219_200.123,
  ])('are kept as sent: %s', (dueDate) => {
    expect(invoice(dueDate)).toEqual({
      type: 'INBOUND_INVOICE_STATUS_UPDATED',
      data: { id: '1', status: 'Sent', dueDate },
    })
  })

  it.each([
    '',
    '2026-02-30',
    '2026-02-30T10:30:00Z',
    '2026-11-21T25:00:00Z',
    '2026-11-21T',
    '21.11.2026',
    true,
  ])('must be dates or date-times, not %s', (dueDate) => {
    expect(invoice(dueDate)).toMatchObject({
      type: 'UNRECOGNIZED',
      issues: [{ path: ['dueDate'], message: expect.stringContaining('must be an ISO date or date-time') }],
    })
  })
})

describe('the exported schemas', () => {
  const kinds = {
    ACCOUNT_STATUS_UPDATED: accountDataSchema,
    INBOUND_PAYMENT_STATUS_UPDATED: paymentDataSchema,
    OUTBOUND_INVOICE_STATUS_UPDATED: invoiceDataSchema,
  }

  it('agree with parse on validity and result', () => {
    // Mostly valid fields, as one invalid field hides the others.
    const mostly = <Value>(fitting: fc.Arbitrary<Value>, ...others: unknown[]) =>
      fc.oneof({ arbitrary: fitting, weight: 12 }, fc.constantFrom(...others))
    const id = mostly(
      fc.oneof(fc.nat(), fc.maxSafeInteger(), fc.constantFrom('12', '-5', null)),
      '1e3',
      '1.5',
      1.5,
      true,
      '',
    )
    const number = mostly(fc.double({ noNaN: true, noDefaultInfinity: true }), '1.50', '1e5', 'x', null)
    const word = mostly(fc.string(), null, 5, {})
    const transaction = mostly(
      fc.record(
        {
          id: mostly(fc.nat(), null, 'x'),
          status: word,
          errorCode: fc.oneof(word, fc.double({ noNaN: true, noDefaultInfinity: true })),
        },
        { requiredKeys: [] },
      ),
      null,
      {},
      [],
      'x',
    )
    const data = fc.record(
      {
        id,
        status: word,
        invoiceId: id,
        payerAccountId: id,
        paymentId: id,
        statusReason: word,
        amount: mostly(fc.record({ number, currency: word }), null, [], 'x'),
        debitTxn: transaction,
        refundTxn: transaction,
        dueDate: mostly(fc.constantFrom('2026-11-21', 1_795_219_200_000, null), '2026-02-30', '', true),
        paymentReady: mostly(fc.boolean(), 'true', null),
        isPaymentReady: mostly(fc.boolean(), 'true', null),
        verified: fc.boolean(),
        unknown: fc.constantFrom(null, 'x', [1.5, { a: [] }]),
      },
      { requiredKeys: ['id', 'status', 'verified'] },
    )
    const kind = fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[]))
    let fitted = 0
    fc.assert(
      fc.property(kind, data, fc.boolean(), (type, value, inline) => {
        const wire = JSON.parse(JSON.stringify(value))
        const event = parse(JSON.stringify({ type, data: inline ? wire : JSON.stringify(wire) }))
        const result = kinds[type].safeParse(wire)
        // Node's own comparison is several times faster than expect().
        deepStrictEqual(
          [event.type, event.data],
          result.success ? [type, result.data] : ['UNRECOGNIZED', wire],
        )
        if (result.success) fitted++
      }),
      { numRuns: 2000 },
    )
    expect(fitted).toBeGreaterThan(500)
    expect(fitted).toBeLessThan(1500)
  })

  it.each([
    '9007199254740991',
    '9007199254740992',
    '9007199254740994',
    '10000000000000000',
    '1e20',
    '1e23',
    '9223372036854775807',
    '9223372036854775807.0',
    '9.223372036854775807e18',
    '1.5',
    '"x"',
  ])('read the identifier %s in the kinds option as parse does', (id) => {
    const body = `{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":{"id":${id},"status":"Sent"}}`
    const { type, data } = parse(body)
    expect(parse(body, { kinds })).toMatchObject({ type, data })
  })

  it('reject an integer that has already lost digits', () => {
    expect(paymentDataSchema.safeParse({ id: 2 ** 60, status: 'Complete' }).success).toBe(false)
    expect(paymentDataSchema.parse({ id: '1152921504606846977', status: 'Complete' }).id).toBe(
      '1152921504606846977',
    )
  })
})
