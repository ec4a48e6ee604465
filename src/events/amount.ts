import * as z from 'zod/mini'
import { MAX_PLAIN_DIGITS, toPlainDecimal } from '../json/decimal.ts'
import { mustBe, openObject, text } from './fields.ts'

const MESSAGE = mustBe(`a decimal number of at most ${MAX_PLAIN_DIGITS} digits`)

/**
 * A decimal number. Takes a number or its text, and returns the text in plain notation, numerically equal to
 * what was sent (`1250.750` becomes `'1250.75'`, `1e3` becomes `'1000'`). A number that needs more than 1,000
 * digits is invalid. Digits that `JSON.parse` dropped are lost; `parse` reads them from the original text.
 */
export const decimalSchema = z.pipe(
  z.union(
    [
      z.string().check(z.refine((value) => toPlainDecimal(value) !== undefined, { error: MESSAGE })),
      z.number(),
    ],
    { error: MESSAGE },
  ),
  // The union has accepted the text, and a finite number needs at most 326 digits.
  z.transform((value: string | number) => toPlainDecimal(String(value)) as string),
)

/** The plain notation of a decimal; the parameters are those of {@link toIdentifier}. */
export function toDecimalText(value: string | number, exact: string | number): string | undefined {
  const source = `${exact}`
  // The fast path for most amounts: a number that JavaScript prints without an exponent is in plain notation.
  if (typeof value === 'number' && value === exact && !source.includes('e')) return source
  return toPlainDecimal(source)
}

/**
 * Schema of {@link Amount}. Takes the JSON as sent, and returns the event's form.
 *
 * @example
 * amountSchema.parse({ number: 1250.75, currency: 'USD' }) // { number: '1250.75', currency: 'USD' }
 */
export const amountSchema = openObject(
  {
    /** A decimal string in plain notation, numerically equal to what was sent: `'1250.75'`. */
    number: decimalSchema,
    /** Currency code, such as `'USD'`. */
    currency: text,
  },
  'an amount, { number, currency }',
)

/** An amount of money. */
export interface Amount extends z.output<typeof amountSchema> {}
