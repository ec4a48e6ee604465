import * as z from 'zod/mini'
import { MAX_PLAIN_DIGITS, toPlainDecimal } from '../json/decimal.ts'
import { mustBe } from './text.ts'

const IDENTIFIER = new RegExp(`^-?\\d{1,${MAX_PLAIN_DIGITS}}$`)
const MESSAGE = mustBe('an identifier: an integer, or a string of decimal digits')

/**
 * A numeric identifier, a 64-bit integer on the wire. Takes an integer or a string of decimal digits, and
 * returns a decimal string. An integer beyond 2^53 is invalid, since JavaScript may print other digits than
 * were sent; `parse` reads them from the original text.
 *
 * @example
 * identifierSchema.parse(48121) // '48121'
 */
export const identifierSchema = z.pipe(
  z.union([z.string().check(z.regex(IDENTIFIER, { error: MESSAGE })), z.int()], { error: MESSAGE }),
  z.transform((value: string | number) => String(value)),
)

/**
 * The decimal string of an identifier.
 *
 * @param value as `JSON.parse` returned it
 * @param exact the same, or its source text if `value` has lost digits
 * @returns `undefined` if it is not an identifier
 */
export function toIdentifier(value: string | number, exact: string | number): string | undefined {
  if (typeof value === 'string') return IDENTIFIER.test(value) ? value : undefined
  if (value === exact && Number.isSafeInteger(value)) return `${value}`
  const plain = toPlainDecimal(String(exact))
  return plain?.includes('.') ? undefined : plain
}
