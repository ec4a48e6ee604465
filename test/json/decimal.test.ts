import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameDecimal } from '../../fuzz/oracles/exact-decimal.ts'
import { compareDecimals, MAX_PLAIN_DIGITS, toPlainDecimal } from '../../src/json/decimal.ts'

describe('toPlainDecimal', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.000e5', '0'],
    ['0e99999999999999999999', '0'],
    ['1250.750', '1250.75'],
    ['1e3', '1000'],
    ['1.5e1', '15'],
    ['1.25E+3', '1250'],
    ['1e-7', '0.0000001'],
    ['-12.5e-1', '-1.25'],
    ['100', '100'],
    ['1000e-3', '1'],
    ['9223372036854775807', '9223372036854775807'],
    ['12345678901234567.89', '12345678901234567.89'],
  ])('writes %s as %s', (source, plain) => {
    expect(toPlainDecimal(source)).toBe(plain)
  })

  it.each(['', 'abc', '1e', '.5', '5.', '+1', '0x10', 'NaN', 'Infinity', '1_000', ' 1', '1\n', '1,5', '--1'])(
    'does not accept %j as a number',
    (source) => {
      expect(toPlainDecimal(source)).toBeUndefined()
    },
  )

  it('writes at most 1,000 digits', () => {
    expect(toPlainDecimal('1e999')).toHaveLength(MAX_PLAIN_DIGITS)
    expect(toPlainDecimal('1e1000')).toBeUndefined()
    expect(toPlainDecimal('1e-999')).toBe(`0.${'0'.repeat(998)}1`)
    expect(toPlainDecimal('1e-1000')).toBeUndefined()
    expect(toPlainDecimal(`${'9'.repeat(500)}.${'9'.repeat(500)}`)).toHaveLength(MAX_PLAIN_DIGITS + 1)
    expect(toPlainDecimal(`${'9'.repeat(501)}.${'9'.repeat(500)}`)).toBeUndefined()
    expect(toPlainDecimal(`1.${'0'.repeat(5000)}`)).toBe('1')
  })

  it('rejects a huge exponent before writing any digit', () => {
    for (const exponent of ['1000000000', '-1000000000', '9'.repeat(400), `-${'9'.repeat(400)}`]) {
      expect(toPlainDecimal(`1e${exponent}`)).toBeUndefined()
    }
  })

  it('returns an equal number: the same digits in the same places', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(
        fc.boolean(),
        digits,
        fc.option(digits),
        fc.integer({ min: -60, max: 60 }),
        (minus, whole, part, exponent) => {
          const source = `${minus ? '-' : ''}${whole}${part === null ? '' : `.${part}`}e${exponent}`
          const plain = toPlainDecimal(source) as string
          expect(plain).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/)
          if (!isSameDecimal(plain, source)) throw new Error(`${source} is not ${plain}`)
        },
      ),
      { numRuns: 10_000 },
    )
  })
})

describe('compareDecimals', () => {
  const integer = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n })

  it('compares by value', () => {
    fc.assert(
      fc.property(integer, integer, fc.nat(30), (a, b, places) => {
        const expected = a < b ? -1 : a > b ? 1 : 0
        if (compareDecimals(`${a}e-${places}`, `${b}e-${places}`) !== expected) throw new Error(`${a} ${b}`)
        if (compareDecimals(`${a}`, `${a}.${'0'.repeat(places + 1)}`) !== 0) throw new Error(`${a}`)
      }),
    )
  })

  it.each<[string, string, number]>([
    ['900', '1000', -1],
    ['100.00', '100', 0],
    ['1e3', '1000.0', 0],
    ['-0', '0', 0],
    ['0', '0.001', -1],
    ['0', '-0.001', 1],
    ['0.001', '0', 1],
    ['-0.001', '0', -1],
    ['-2', '-10', 1],
    ['9007199254740993', '9007199254740992', 1],
    ['1e999999999', '1e999999998', 1],
  ])('of %s and %s is %i', (a, b, expected) => {
    expect(compareDecimals(a, b)).toBe(expected)
  })

  it.each([
    ['x', '1'],
    ['1', ''],
    ['1,5', '1'],
    ['1e9007199254740993', '1e9007199254740992'],
    [undefined, '1'],
  ])('throws for %j and %j', (a, b) => {
    expect(() => compareDecimals(a as string, b as string)).toThrow(
      new TypeError('compareDecimals(a, b): both must be decimal numbers, such as "12.50"'),
    )
  })
})
