import * as z from 'zod/mini'
import { MAX_PLAIN_DIGITS, survivesDouble, toPlainDecimal } from '../json/decimal.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { ParsedJson } from '../json/parse-json.ts'
import { mustBe } from './fields.ts'

const IDENTIFIER = new RegExp(`^-?\\d{1,${MAX_PLAIN_DIGITS}}$`)

const MESSAGE = mustBe('an identifier: an integer, or a string of decimal digits')

// Whether no number in the data being validated has lost digits.
let isExact = false

/** Runs a schema on data from `parseJson`, in which an integer beyond 2^53 is what was sent. */
export function onExactData<Result>(validate: () => Result): Result {
  const before = isExact
  isExact = true
  try {
    return validate()
  } finally {
    isExact = before
  }
}

/**
 * A numeric identifier, a 64-bit integer on the wire. Takes an integer or a string of decimal digits, and
 * returns a decimal string. From `JSON.parse`, an integer beyond 2^53 is invalid, since it may have other
 * digits than were sent. In the `kinds` option, every integer is valid: payhook reads it from the original
 * text.
 *
 * @example
 * identifierSchema.parse(48121) // '48121'
 */
export const identifierSchema = z.pipe(
  z
    .union([z.string(), z.number()], { error: MESSAGE })
    .check(z.refine((value) => isKept(value) && toIdentifier(value, value) !== undefined)),
  z.transform((value) => toIdentifier(value, value) as string),
)

function isKept(value: string | number): boolean {
  return isExact || typeof value === 'string' || Number.isSafeInteger(value)
}

/**
 * @param value as `JSON.parse` returned it
 * @param exact the same, or its source text if `value` has lost digits
 * @returns `undefined` if it is not an identifier
 */
export function toIdentifier(value: string | number, exact: string | number): string | undefined {
  if (value === exact && Number.isSafeInteger(value)) return `${value}`
  const source = String(exact)
  if (typeof value === 'string' && IDENTIFIER.test(source)) return source
  // A string may be the source text of a number that a double cannot hold, such as 9223372036854775807.0.
  if (typeof value === 'string' && survivesDouble(source)) return undefined
  const plain = toPlainDecimal(source)
  return plain?.includes('.') ? undefined : plain
}

/** The identifier in a field of data; `undefined` if there is none. */
export function readIdentifier({ lossy, exact }: ParsedJson, name: string): string | undefined {
  if (!isJsonObject(lossy) || !isJsonObject(exact)) return undefined
  const [value, digits] = [lossy[name], exact[name]]
  return isDigits(value) && isDigits(digits) ? toIdentifier(value, digits) : undefined
}

function isDigits(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}
