import { ExactNumber } from '../json/exact-number.ts'
import { isSampleObject, type SampleValue, WIRE_SHAPES } from './sample-data.ts'

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * The data of a notification as JSON. A `bigint`, or a decimal string in a field where the service sends a
 * number, becomes a number with all its digits.
 */
export function toWireJson(kind: string, content: SampleValue): string {
  return JSON.stringify(toWire(content, Object.hasOwn(WIRE_SHAPES, kind) ? WIRE_SHAPES[kind] : undefined))
}

function toWire(value: SampleValue, shape: SampleValue | undefined): unknown {
  if (typeof value === 'bigint') return new ExactNumber(String(value))
  if (typeof value === 'string' && typeof shape === 'number' && JSON_NUMBER.test(value))
    return new ExactNumber(value)
  if (Array.isArray(value)) return value.map((member) => toWire(member, undefined))
  if (!isSampleObject(value)) return value
  const members = isSampleObject(shape) ? shape : {}
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, toWire(member, members[name])]),
  )
}
