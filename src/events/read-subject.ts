import { isJsonObject } from '../json/json-value.ts'

/** What a notification is about, for a list. The amount has its currency: 99.50 EUR. */
export type Subject = Readonly<Partial<Record<'id' | 'status' | 'amount', string>>>

const MAX_LENGTH = 100

/** Reads id, status and amount from the data of a notification. */
export function readSubject(data: unknown): Subject {
  const { id, status, amount } = isJsonObject(data) ? data : {}
  const { number, currency } = isJsonObject(amount) ? amount : {}
  const texts = { id: toText(id), status: toText(status), amount: toText(number, currency) }
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
}

function toText(...values: unknown[]): string {
  const texts = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  return texts.join(' ').slice(0, MAX_LENGTH)
}
