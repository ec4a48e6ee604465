import { ExactNumber } from '../../json/exact-number.ts'
import type { Overrides, SampleValue } from '../../testing/sample-data.ts'

/**
 * Copies changes to data, so that later changes by the caller have no effect.
 *
 * @param name the name of the changes in error messages
 * @throws TypeError if it is not an object or contains a value that is not JSON, with the path of that value
 */
export function parseOverrides(name: string, changes: unknown): Overrides {
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes))
    throw new TypeError(`"${name}" must be an object`)
  return copy(changes, name, new Set(), true) as Overrides
}

/**
 * Copies any data.
 *
 * @throws TypeError if it contains a value that is not JSON, with the path of that value
 */
export function parseData(name: string, data: unknown): SampleValue {
  return copy(data, name, new Set(), false) as SampleValue
}

/** @param isChange whether `undefined` removes a field. It is invalid within an array. */
function copy(value: unknown, path: string, around: Set<object>, isChange: boolean): unknown {
  if (value === undefined && isChange) return undefined
  if (value === null || ['string', 'boolean', 'bigint'].includes(typeof value)) return value
  if ((typeof value === 'number' && Number.isFinite(value)) || value instanceof ExactNumber) return value
  if (typeof value !== 'object') throw new TypeError(`"${path}" must be JSON, not ${describe(value)}`)
  if (around.has(value)) throw new TypeError(`"${path}" must be JSON, not a part of itself`)
  around.add(value)
  try {
    // Array.from makes holes visible, which map() skips.
    if (Array.isArray(value))
      return Array.from(value, (one: unknown, index) => copy(one, `${path}[${index}]`, around, false))
    if (!isPlain(value)) throw new TypeError(`"${path}" must be JSON, not ${describe(value)}`)
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, copy(one, `${path}.${key}`, around, isChange)]),
    )
  } finally {
    around.delete(value)
  }
}

/** Whether an object has no class. Also accepts one from another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function describe(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value)
  return typeof value === 'object' ? `a ${value?.constructor?.name ?? 'class'}` : `a ${typeof value}`
}
