import * as z from 'zod/mini'
import { MAX_PLAIN_DIGITS, toPlainDecimal } from '../json/decimal.ts'
import { openObject } from './open-object.ts'
import { mustBe, text } from './text.ts'

const MESSAGE = mustBe(`a decimal number of at most ${MAX_PLAIN_DIGITS} digits`)

/**
 * A decimal number: takes a number or its text and gives the text in plain notation, numerically equal to what
 * was sent (`1250.750` gives `'1250.75'`, `1e3` gives `'1000'`). One that needs more than 1,000 digits to write
 * out does not fit. Digits that `JSON.parse` dropped before are gone; `parse` reads them from the text.
 */
export const decimalSchema = z.pipe(
  z.union(
    [
      z.string().check(z.refine((value) => toPlainDecimal(value) !== undefined, { error: MESSAGE })),
      z.number(),
    ],
    { error: MESSAGE },
  ),
  // A finite number needs at most 326 digits, and the text has just been tried.
  z.transform((value: string | number) => toPlainDecimal(String(value)) as string),
)

/** The plain notation of a decimal; the parameters are those of {@link toIdentifier}. */
export function toDecimalText(value: string | number, exact: string | number): string | undefined {
  const source = `${exact}`
  // What JavaScript prints without an exponent is plain already; that spares most amounts the longer way.
  if (typeof value === 'number' && value === exact && !source.includes('e')) return source
  return toPlainDecimal(source)
}

/** An amount of money. */
export interface Amount {
  /** A decimal string in plain notation, numerically equal to what was sent: `'1250.75'`. */
  number: string
  /** Currency code, such as `'USD'`. */
  currency: string
}

/**
 * Schema of {@link Amount}. Takes the wire's JSON, gives the event's form.
 *
 * @example
 * amountSchema.parse({ number: 1250.75, currency: 'USD' }) // { number: '1250.75', currency: 'USD' }
 */
export const amountSchema = openObject(
  { number: decimalSchema, currency: text },
  'an amount, { number, currency }',
)
