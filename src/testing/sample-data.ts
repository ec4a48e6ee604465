import type { EventKind } from '../events/kinds.ts'
import type { EventData } from '../events/webhook-event.ts'
import { ExactNumber } from '../json/exact-number.ts'
import { isJsonObject, type JsonValue } from '../json/json-value.ts'

/** JSON that may also hold integers of any size. */
export type SampleValue = JsonValue | bigint | SampleValue[] | SampleObject

/** An object of {@link SampleValue}s. */
export interface SampleObject {
  [key: string]: SampleValue
}

/**
 * Changes to sample data. Objects are merged, `undefined` removes a field, and any other value replaces it. Use
 * a `bigint` or a decimal string for an identifier or an amount that a number cannot hold.
 */
export type Overrides = { readonly [key: string]: SampleValue | Overrides | undefined }

// Amounts are strings, since a number cannot end with a zero. They are sent as numbers.
const account = { id: 710021, paymentReady: true, verified: true }

const payment = {
  id: 48121,
  invoiceId: 90233,
  status: 'Complete',
  statusReason: null,
  payerFundingMethodType: 'Bank',
  receiverFundingMethodType: 'Bank',
  payerAccountId: 710021,
  payeeAccountId: 710044,
  originalRequestId: '7d1f6c2e-50b3-4a43-9d0e-6a4e8f6f2b11',
  purposeOfPayment: 'Goods',
  purposeOfPaymentDescription: 'Consulting in October',
  debitPreferredMethodRequested: 'SameDay',
  creditPreferredMethodRequested: 'Standard',
  debitMethodProcessed: 'SameDay',
  creditMethodProcessed: 'Standard',
  amount: { number: '1250.50', currency: 'USD' },
  debitTxn: { id: 556101, status: 'Completed', errorCode: null, errorMessage: null },
  creditTxn: { id: 556102, status: 'Completed', errorCode: null, errorMessage: null },
  refundTxn: null,
}

// The earlier form.
const { id, invoiceId, status, debitTxn, creditTxn } = payment

const invoice = {
  id: 90233,
  status: 'Sent',
  amount: { number: '1250.50', currency: 'USD' },
  payerAccountId: 710021,
  payeeAccountId: 710044,
  dueDate: '2026-12-01',
  scheduledSentDateIso: '2026-11-15',
  paymentId: 48121,
}

// The service documents no payload for the virtual account and card kinds; these are examples.
const SAMPLES: Record<keyof EventData, SampleObject> = {
  ACCOUNT_STATUS_UPDATED: account,
  OUTBOUND_PAYMENT_STATUS_UPDATED: payment,
  INBOUND_PAYMENT_STATUS_UPDATED: payment,
  PAYMENT_STATUS_UPDATED: { id, invoiceId, status, debitTxn, creditTxn },
  OUTBOUND_INVOICE_STATUS_UPDATED: invoice,
  INBOUND_INVOICE_STATUS_UPDATED: invoice,
  VBA_ACCOUNT_STATUS_UPDATED: { id: 3301, status: 'Approved' },
  VBA_TRANSACTION: {
    id: 88012,
    accountId: 3301,
    type: 'Credit',
    amount: { number: '1250.50', currency: 'USD' },
  },
  VIRTUAL_CARD_APPLICATION_STATUS_UPDATED: { id: 6120, status: 'Approved' },
  VIRTUAL_CARD_BALANCE_UPDATED: { cardId: 6121, balance: { number: '310.40', currency: 'USD' } },
  VIRTUAL_CARD_TRANSACTION: {
    id: 99310,
    cardId: 6121,
    status: 'Settled',
    amount: { number: '18.90', currency: 'USD' },
  },
}

/**
 * Sample data of a kind, with your changes. Its amounts are decimal strings, which are sent as numbers.
 *
 * @param kind a kind that payhook knows; for any other string, the data is the overrides alone
 * @example
 * sampleData('INBOUND_PAYMENT_STATUS_UPDATED', { status: 'Sent', amount: { number: '0.10' } })
 */
export function sampleData(kind: EventKind | (string & {}), overrides: Overrides = {}): SampleObject {
  return applyOverrides(structuredClone(sampleOf(kind)), overrides)
}

function sampleOf(kind: string): SampleObject {
  return Object.hasOwn(SAMPLES, kind) ? SAMPLES[kind as keyof EventData] : {}
}

/** The name of the field with the id of what a notification is about. */
export function idField(kind: string): string {
  return Object.keys(sampleOf(kind)).find((name) => /^id$|Id$/.test(name)) ?? 'id'
}

/** Whether a value is an object with fields: not an array, `null` or an {@link ExactNumber}. */
export function isSampleObject(value: unknown): value is SampleObject {
  return isJsonObject(value) && !(value instanceof ExactNumber)
}

export function applyOverrides(base: SampleObject, overrides: Overrides): SampleObject {
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(overrides)) {
    const old = merged.get(key)
    if (value === undefined) merged.delete(key)
    else if (isSampleObject(value)) merged.set(key, applyOverrides(isSampleObject(old) ? old : {}, value))
    else merged.set(key, value as SampleValue)
  }
  return Object.fromEntries(merged)
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A `bigint`, or a decimal string where the service sends a number, becomes a number with all its digits. */
export function toWireJson(kind: string, content: SampleValue): string {
  return JSON.stringify(toWire(content, sampleOf(kind)))
}

function isNumber(shape: SampleValue | undefined): boolean {
  return typeof shape === 'number' || (typeof shape === 'string' && JSON_NUMBER.test(shape))
}

function toWire(value: SampleValue, shape: SampleValue | undefined): unknown {
  if (typeof value === 'bigint') return new ExactNumber(String(value))
  if (typeof value === 'string' && isNumber(shape) && JSON_NUMBER.test(value)) return new ExactNumber(value)
  if (Array.isArray(value)) return value.map((member) => toWire(member, undefined))
  if (!isSampleObject(value)) return value
  // Only a refund is null in a sample, and may be an object.
  const members: SampleObject = isSampleObject(shape) ? shape : shape === null ? debitTxn : {}
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, toWire(member, members[name])]),
  )
}
