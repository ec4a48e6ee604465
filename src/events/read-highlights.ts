import { isJsonObject } from '../json/json-value.ts'
import { readData, tryRead } from './read-envelope.ts'

/** What a list shows of the data of a notification. The amount has its currency: 99.50 EUR. */
export type Highlights = Readonly<Partial<Record<'id' | 'status' | 'amount', string>>>

const MAX_LENGTH = 100
const MAX_PARSED_LENGTH = 64 * 1_024

/** Reads id, status and amount of a notification; none if the body is very long or not a notification. */
export function readHighlights(body: string | Uint8Array): Highlights {
  const isShort = body.length <= MAX_PARSED_LENGTH
  const data = isShort ? tryRead(body, (envelope) => readData(envelope).exact) : undefined
  const { id, status, amount } = isJsonObject(data) ? data : {}
  const { number, currency } = isJsonObject(amount) ? amount : {}
  const texts = { id: toText(id), status: toText(status), amount: toText(number, currency) }
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
}

function toText(...values: unknown[]): string {
  const texts = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  return texts.join(' ').slice(0, MAX_LENGTH)
}
