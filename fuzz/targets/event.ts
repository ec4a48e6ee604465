// Events: every body is an event or a documented error, and ids and amounts keep every digit.

import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { accountDataSchema } from '../../src/events/account-data.ts'
import { invoiceDataSchema } from '../../src/events/invoice-data.ts'
import { paymentDataSchema } from '../../src/events/payment-data.ts'
import { readHighlights } from '../../src/events/read-highlights.ts'
import { readSubject } from '../../src/events/subject.ts'
import type { UnrecognizedEvent, WebhookEvent } from '../../src/events/webhook-event.ts'
import { isPayhookError } from '../../src/is-payhook-error.ts'
import { parse } from '../../src/parse.ts'
import { Input, toInput } from '../input.ts'
import { assertEventData, type Fields, withoutAliases } from '../oracles/assert-event-data.ts'
import { assertParsed, assertUnpolluted, toExactNumber } from '../oracles/assert-parsed.ts'
import { fitsDouble, isDecimal, isInteger, toPlain } from '../oracles/exact-decimal.ts'
import { readBody } from '../oracles/expected-rejection.ts'
import { depthOf, isSafe, MAX_DEPTH, readJson, toValue, type Written } from '../oracles/read-json.ts'
import { fixtureBodies, LONG } from '../seeds.ts'

const TRANSACTION: Fields = { id: 'identifier' }
const AMOUNT: Fields = { number: 'decimal' }
const ACCOUNT = { object: 'account', schema: accountDataSchema, fields: { id: 'identifier' } } as const
const INVOICE = {
  object: 'invoice',
  schema: invoiceDataSchema,
  fields: {
    id: 'identifier',
    payerAccountId: 'identifier',
    payeeAccountId: 'identifier',
    paymentId: 'identifier',
    amount: AMOUNT,
  },
} as const
const PAYMENT = {
  object: 'payment',
  schema: paymentDataSchema,
  fields: {
    id: 'identifier',
    invoiceId: 'identifier',
    payerAccountId: 'identifier',
    payeeAccountId: 'identifier',
    amount: AMOUNT,
    debitTxn: TRANSACTION,
    creditTxn: TRANSACTION,
    refundTxn: TRANSACTION,
  },
} as const

/** What docs/protocol.md defines of each kind. */
const KINDS = new Map<string, typeof ACCOUNT | typeof INVOICE | typeof PAYMENT | undefined>([
  ['OUTBOUND_PAYMENT_STATUS_UPDATED', PAYMENT],
  ['INBOUND_INVOICE_STATUS_UPDATED', INVOICE],
  ['ACCOUNT_STATUS_UPDATED', ACCOUNT],
  ['VBA_TRANSACTION', undefined],
  ['PAYMENT_STATUS_UPDATED', PAYMENT],
  ['INBOUND_PAYMENT_STATUS_UPDATED', PAYMENT],
  ['OUTBOUND_INVOICE_STATUS_UPDATED', INVOICE],
  ['VBA_ACCOUNT_STATUS_UPDATED', undefined],
  ['VIRTUAL_CARD_APPLICATION_STATUS_UPDATED', undefined],
  ['VIRTUAL_CARD_BALANCE_UPDATED', undefined],
  ['VIRTUAL_CARD_TRANSACTION', undefined],
])

export function run(bytes: Buffer): void {
  const body = toBody(new Input(bytes))
  const event = parseOrCode(body)
  readHighlights(body)
  const subject = readSubject(body)
  assertUnpolluted()
  // The oracle calls itself, payhook does not.
  if (depthOf(body.toString('latin1')) > MAX_DEPTH) return
  deepStrictEqual(parseOrCode(body), event)
  if (isUtf8(body)) deepStrictEqual(parseOrCode(body.toString()), event)
  const envelope = readBody(body)
  if (typeof event === 'string' || typeof envelope === 'string') {
    strictEqual(event, envelope)
    if (!looksLikeService(body)) strictEqual(subject, null)
    return
  }
  const { members, repeats } = envelope
  const kind = (members.get('type') as { value: string }).value
  const data = toData(members.get('data'))
  assertEvent(event, kind, data)
  const isUsual = data.type === 'object' && !data.repeats && !repeats
  if (isUsual || !looksLikeService(body)) strictEqual(subject, subjectOf(kind, data))
}

/**
 * Of such a body, only the beginning is read for its subject: no key may repeat, and the rest is not checked.
 */
function looksLikeService(body: Buffer): boolean {
  return /^\{"type":"\w+","data":"\{.*\}"\}$/s.test(body.toString('latin1'))
}

/** The body itself, or a notification with it as data. */
function toBody(input: Input): Buffer {
  const form = input.below(3)
  if (form === 0) return input.body
  const kind = input.pick(['NEW', ...KINDS.keys()])
  const text = input.body.toString()
  return Buffer.from(`{"type":"${kind}","data":${form === 1 ? text : JSON.stringify(text)}}`)
}

function parseOrCode(body: Buffer | string): WebhookEvent | string {
  try {
    return parse(body) as WebhookEvent
  } catch (error) {
    if (isPayhookError(error)) return error.code
    throw error
  }
}

/** Stringified data is parsed if it is JSON. */
function toData(data: Written = { type: 'plain', value: null }): Written {
  return data.type === 'plain' && typeof data.value === 'string' ? (readJson(data.value) ?? data) : data
}

function assertEvent(event: WebhookEvent, kind: string, data: Written): void {
  const known = KINDS.get(kind)
  if (event.type === 'UNRECOGNIZED') assertUnrecognized(event, kind, data)
  else {
    ok(KINDS.has(kind))
    strictEqual(event.type, kind)
    const current = known === ACCOUNT ? withoutAliases(data) : data
    assertEventData(event.data, current, known?.fields ?? {})
    const sent = JSON.stringify({ type: kind, data: JSON.stringify(event.data) })
    strictEqual(JSON.stringify(parse(sent)), JSON.stringify(event))
  }
  // The exported schemas accept the same data, unless a number has lost digits before they see it. They leave
  // out what is called __proto__, as zod does.
  if (known === undefined || !isSafe(data) || hasProto(data)) return
  const { success, data: output } = known.schema.safeParse(toValue(data))
  strictEqual(success, event.type !== 'UNRECOGNIZED')
  if (success) deepStrictEqual(event.data, output)
}

function hasProto(written: Written): boolean {
  if (written.type === 'array') return written.elements.some(hasProto)
  if (written.type !== 'object') return false
  return written.members.has('__proto__') || [...written.members.values()].some(hasProto)
}

function assertUnrecognized(event: UnrecognizedEvent, kind: string, data: Written): void {
  strictEqual(event.kind, kind)
  assertParsed(event.data, data, toExactNumber)
  ok(event.issues.length > 0)
  if (!KINDS.has(kind))
    deepStrictEqual(
      event.issues.map(({ code, path }) => [code, path]),
      [['unknown_kind', ['type']]],
    )
  for (const { code, message } of event.issues) match(`${code} ${message}`, /\w \w/)
}

const MAX_SUBJECT = 200

function subjectOf(kind: string, data: Written): string | null {
  const object = KINDS.get(kind)?.object
  const id = object !== undefined && data.type === 'object' ? toId(data.members.get('id')) : undefined
  const subject = `${object}:${id}`
  return id === undefined || subject.length > MAX_SUBJECT ? null : subject
}

/** An identifier is an integer, or a text of digits. */
function toId(id: Written | undefined): string | undefined {
  if (id?.type === 'number') return isInteger(id.source) ? toPlain(id.source) : undefined
  if (id?.type !== 'plain' || typeof id.value !== 'string') return undefined
  if (/^-?[0-9]+$/.test(id.value)) return id.value
  // The text of a number such as 9223372036854775807.0, which a double cannot hold.
  const mayBeNumber = isDecimal(id.value) && !fitsDouble(id.value) && isInteger(id.value)
  return mayBeNumber ? toPlain(id.value) : undefined
}

export const seeds = () => [
  toInput(`{"id":1,"status":"","nested":${LONG.nested}}`, 1, 1),
  toInput(`{"id":${LONG.zeros},"status":""}`, 2, 1),
  toInput(`{"id":1,"status":"","amount":{"number":${LONG.digits},"currency":""}}`, 1, 1),
  ...fixtureBodies(),
  ...fixtureBodies().flatMap((body) => {
    const written = isUtf8(body) ? readJson(body.toString()) : undefined
    const data = written?.type === 'object' ? written.members.get('data') : undefined
    return data?.type === 'plain' && typeof data.value === 'string' ? [toInput(data.value, 2, 0)] : []
  }),
]
