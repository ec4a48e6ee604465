import * as z from 'zod/mini'
import { MAX_PLAIN_DIGITS, toPlainDecimal } from '../json/decimal.ts'
import { mustBe } from './text.ts'

const IDENTIFIER = new RegExp(`^-?\\d{1,${MAX_PLAIN_DIGITS}}$`)
const MESSAGE = mustBe('an identifier: an integer, or a string of decimal digits')

/**
 * A numeric identifier, a `long` on the wire: takes an integer or a string of decimal digits and gives a
 * decimal string. An integer beyond 2^53 is refused, because the digits that JavaScript shows for it need not
 * be the ones that were sent; `parse` reads those from the text of the notification.
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
 * @param value as `JSON.parse` gave it
 * @param exact the same, or its source text where `value` has lost digits
 * @returns `undefined` when it is none
 */
export function toIdentifier(value: string | number, exact: string | number): string | undefined {
  if (typeof value === 'string') return IDENTIFIER.test(value) ? value : undefined
  if (value === exact && Number.isSafeInteger(value)) return `${value}`
  const plain = toPlainDecimal(String(exact))
  return plain?.includes('.') ? undefined : plain
}
