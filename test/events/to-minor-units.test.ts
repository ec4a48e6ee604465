import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toMinorUnits } from '../../src/index.ts'

it.each<[string, string, bigint]>([
  ['1250.75', 'USD', 125_075n],
  ['0.1', 'USD', 10n],
  ['100', 'USD', 10_000n],
  ['100.000', 'USD', 10_000n],
  ['-0.05', 'EUR', -5n],
  ['0', 'EUR', 0n],
  ['1e3', 'EUR', 100_000n],
  ['1250', 'JPY', 1250n],
  ['1.234', 'KWD', 1234n],
  ['1250', 'HUF', 125_000n],
  ['1', 'IQD', 1000n],
  ['90071992547409931234567890.12', 'USD', 9007199254740993123456789012n],
])('converts %s %s to %i', (number, currency, units) => {
  expect(toMinorUnits({ number, currency })).toBe(units)
})

it.each([
  ['1.005', 'USD', '1.005 has more than the 2 decimal places of USD'],
  ['0.5', 'JPY', '0.5 has more than the 0 decimal places of JPY'],
  ['1', 'XQQ', '"currency" must be a currency code'],
  ['1', 'XAU', '"currency" must be a currency code'],
  ['1', 'D AFN', '"currency" must be a currency code'],
  ['1', 'usd', '"currency" must be a currency code'],
  ['1', '', '"currency" must be a currency code'],
])('throws a RangeError for %s %s', (number, currency, message) => {
  expect(() => toMinorUnits({ number, currency })).toThrow(RangeError)
  expect(() => toMinorUnits({ number, currency })).toThrow(message)
})

it.each(['', 'x', '1,5', 'Infinity', undefined])('throws a TypeError for %j', (number) => {
  expect(() => toMinorUnits({ number, currency: 'USD' } as never)).toThrow(
    new TypeError('toMinorUnits(amount): "number" must be a decimal number, such as "12.50"'),
  )
})

it('knows every currency of ISO 4217 that has decimal places, and no other code', () => {
  const list = readFileSync(new URL('../../fixtures/iso-4217.tsv', import.meta.url), 'utf8')
  const rows = list.matchAll(/^([A-Z]{3})\t(\d)$/gm)
  const expected = new Map([...rows].map(([, code = '', places]) => [code, 10n ** BigInt(places as string)]))
  // Withdrawn on the date of the list.
  expected.set('BGN', 100n)
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
  const known = codes.flatMap((currency) => {
    try {
      return [[currency, toMinorUnits({ number: '1', currency })] as const]
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError)
      return []
    }
  })
  expect(known).toEqual([...expected].sort())
})

it('loses no cent', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (cents) => {
      const digits = `${cents < 0n ? -cents : cents}`.padStart(3, '0')
      const number = `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
      return toMinorUnits({ number, currency: 'EUR' }) === cents
    }),
  )
})
