// Decimals and amounts, against arithmetic with BigInt. The input is two numbers, in two lines.

import { strictEqual, throws } from 'node:assert/strict'
import { decimalSchema } from '../../src/events/amount.ts'
import { identifierSchema } from '../../src/events/identifier.ts'
import { toMinorUnits } from '../../src/events/to-minor-units.ts'
import { compareDecimals, MAX_PLAIN_DIGITS, survivesDouble, toPlainDecimal } from '../../src/json/decimal.ts'
import { Input } from '../input.ts'
import { compareExact, fitsDouble, isDecimal, toPlain } from '../oracles/exact-decimal.ts'
import { LONG } from '../seeds.ts'

/** The decimal places of ISO 4217; none for a code that it does not have. */
const CURRENCIES = [
  ['USD', 2],
  ['JPY', 0],
  ['KWD', 3],
  ['usd', undefined],
  ['', undefined],
] as const
/** The power of ten is a double. No amount has a larger one. */
const MAX_EXPONENT_DIGITS = 15

export function run(bytes: Buffer): void {
  const input = new Input(bytes)
  const [first = '', second = ''] = input.body.toString('latin1').split('\n')
  const [currency, places] = CURRENCIES[input.below(CURRENCIES.length)] as (typeof CURRENCIES)[number]
  if (new RegExp(`e[+-]?\\d{${MAX_EXPONENT_DIGITS + 1}}`, 'i').test(input.body.toString('latin1'))) return
  const plain = plainOf(first)
  strictEqual(toPlainDecimal(first), plain)
  strictEqual(decimalSchema.safeParse(first).data, plain)
  assertMinorUnits(first, plain, currency, places)
  const isIdentifier = new RegExp(`^-?\\d{1,${MAX_PLAIN_DIGITS}}$`).test(first)
  if (isIdentifier) strictEqual(identifierSchema.parse(first), first)
  if (!isDecimal(first) || !isDecimal(second)) {
    throws(() => compareDecimals(first, second), TypeError)
    return
  }
  strictEqual(survivesDouble(first), fitsDouble(first))
  strictEqual(compareDecimals(first, second), compareExact(first, second))
}

function plainOf(source: string): string | undefined {
  const plain = isDecimal(source) ? toPlain(source) : undefined
  return plain !== undefined && plain.replaceAll(/\D/g, '').length <= MAX_PLAIN_DIGITS ? plain : undefined
}

function assertMinorUnits(
  number: string,
  plain: string | undefined,
  currency: string,
  places: number | undefined,
): void {
  const convert = () => toMinorUnits({ number, currency })
  const [whole = '', fraction = ''] = (plain ?? '').split('.')
  if (plain === undefined) throws(convert, TypeError)
  else if (places === undefined || fraction.length > places) throws(convert, RangeError)
  else strictEqual(convert(), BigInt(`${whole}${fraction.padEnd(places, '0')}`))
}

export const seeds = () =>
  ['1250.75\n1e3', '-0.050\n12345678901234567890', LONG.zeros, `0.${LONG.zeros}`, `1\n${LONG.digits}`].map(
    (text) => Buffer.from(text),
  )
