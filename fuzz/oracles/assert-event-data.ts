import { match, ok } from 'node:assert/strict'
import { assertParsed, toExactNumber } from './assert-parsed.ts'
import { isSameDecimal } from './exact-decimal.ts'
import type { Written } from './read-json.ts'

/** The members of an object that become text. */
export interface Fields {
  readonly [name: string]: 'identifier' | 'decimal' | Fields
}

const FORMS = { identifier: /^-?\d+$/, decimal: /^(?:0|-?(?:[1-9]\d*|(?:0|[1-9]\d*)\.\d*[1-9]))$/ }

/** The names in older notifications. */
const ALIASES: readonly (readonly [alias: string, name: string])[] = [
  ['isPaymentReady', 'paymentReady'],
  ['isVerified', 'verified'],
]

/** Asserts that the data of an event is what was written: ids and amounts as text, and all else as it was. */
export function assertEventData(value: unknown, written: Written, fields: Fields): void {
  if (written.type !== 'object') {
    assertParsed(value, written, toExactNumber)
    return
  }
  const rest = new Map(written.members)
  const others = { ...(value as Record<string, unknown>) }
  for (const [name, field] of Object.entries(fields)) {
    const member = rest.get(name)
    if (member === undefined) continue
    rest.delete(name)
    assertField(others[name], member, field)
    delete others[name]
  }
  assertParsed(others, { type: 'object', members: rest, repeats: false }, toExactNumber)
}

function assertField(value: unknown, written: Written, field: Fields[string]): void {
  if (typeof field === 'object') {
    assertEventData(value, written, field)
    return
  }
  if (value === null && written.type === 'plain' && written.value === null) return
  ok(typeof value === 'string' && written.type !== 'array' && written.type !== 'object')
  match(value, FORMS[field])
  const source = written.type === 'number' ? written.source : String(written.value)
  ok(isSameDecimal(value, source), `${value} was written as ${source}`)
}

/** The members of an account, by their current names. */
export function withoutAliases(written: Written): Written {
  if (written.type !== 'object') return written
  const members = new Map(written.members)
  for (const [alias, name] of ALIASES) {
    const value = members.get(alias)
    if (value === undefined || members.has(name)) continue
    members.delete(alias)
    members.set(name, value)
  }
  return { ...written, members }
}
