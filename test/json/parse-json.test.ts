import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitsDouble } from '../../fuzz/oracles/exact-decimal.ts'
import { parseJson } from '../../src/json/parse-json.ts'

const exact = (text: string) => parseJson(text).exact

/** Any number in JSON notation, of up to 25 digits on each side of the point and an exponent up to this. */
function jsonNumber(maxExponent: number): fc.Arbitrary<string> {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 25 })
  const sign = fc.constantFrom('', '-')
  const exponent = fc.tuple(fc.constantFrom('', '+', '-'), fc.nat(maxExponent)).map((parts) => parts.join(''))
  return fc.tuple(sign, digits, fc.option(digits), fc.option(exponent)).map(([minus, whole, part, power]) => {
    const fraction = part === null ? '' : `.${part}`
    return minus + whole.replace(/^0+(?=\d)/, '') + fraction + (power === null ? '' : `e${power}`)
  })
}

describe('parseJson', () => {
  it.each([
    ['{"a":1,"b":[2.5,-3e2]}', { a: 1, b: [2.5, -300] }],
    ['12345678901234567890', '12345678901234567890'],
    ['[9007199254740992,9007199254740993]', [9007199254740992, '9007199254740993']],
    ['{"a":1e400,"b":1E-400}', { a: '1e400', b: '1E-400' }],
    ['  1e400  ', '1e400'],
    ['{"a":1E400}', { a: '1E400' }],
    ['{"a":1E+400}', { a: '1E+400' }],
    ['{"a": \n\t 0.1000000000000000055511151231257827 }', { a: '0.1000000000000000055511151231257827' }],
    [
      '{"a":"12345678901234567890","b":12345678901234567890}',
      { a: '12345678901234567890', b: '12345678901234567890' },
    ],
    ['["\\":12345678901234567890",1]', ['":12345678901234567890', 1]],
    ['["\\\\",12345678901234567890,"\\\\\\",1e400"]', ['\\', '12345678901234567890', '\\",1e400']],
    ['{"123456789.123456789":123456789.123456789}', { '123456789.123456789': '123456789.123456789' }],
    ['[1250.7500000000000000000]', [1250.75]],
    ['[10000000000000000000000]', [1e22]],
  ])('reads %s', (text, value) => {
    expect(exact(text)).toEqual(value)
  })

  it('returns both the lossy and the exact value', () => {
    expect(parseJson('{"a":12345678901234567890}')).toEqual({
      lossy: { a: 12345678901234567000 },
      exact: { a: '12345678901234567890' },
    })
  })

  it('returns the exact value of any number at any position', () => {
    const space = fc.constantFrom('', ' ', '\n\t')
    const text = fc.tuple(fc.array(jsonNumber(420), { minLength: 1, maxLength: 4 }), fc.string(), space)
    fc.assert(
      fc.property(text, ([numbers, noise, gap]) => {
        const members = numbers.map((source, index) => `"${index}"${gap}:${gap}${source}${gap}`)
        const json = `{"noise":${JSON.stringify(noise)},${members.join(',')},"list":[${gap}${numbers.join(`${gap},`)}]}`
        const read = exact(json) as Record<string, unknown>
        // The lossless result, from Node's own access to the source text of a number.
        const expected = numbers.map((source) => JSON.parse(source, fromSource as never))
        // Node's own comparison is several times faster than expect().
        deepStrictEqual(read, { noise, ...expected, list: expected })
      }),
      { numRuns: 10_000 },
    )
  })

  it('accepts and rejects the same texts as JSON.parse', () => {
    fc.assert(
      fc.property(
        // Without escapes, as JSON.parse misreads some keys that have one.
        fc
          .oneof(
            fc.json(),
            fc.string(),
            fc.json().map((text) => text.slice(0, -1)),
          )
          .filter((text) => !text.includes('\\')),
        (text) => {
          expect(outcome(() => exact(text))).toEqual(outcome(() => JSON.parse(text)))
        },
      ),
      { numRuns: 5000 },
    )
  })

  it('does not overflow the stack', () => {
    const deep = `${'['.repeat(200_000)}12345678901234567890${']'.repeat(200_000)}`
    let value = exact(deep)
    for (let depth = 0; depth < 200_000; depth++) value = (value as never)[0]
    expect(value).toBe('12345678901234567890')
  })
})

function fromSource(_key: string, value: unknown, { source }: { source: string }): unknown {
  return fitsDouble(source) ? value : source
}

function outcome(read: () => unknown): unknown {
  try {
    return { value: normalized(read()) }
  } catch {
    return 'refused'
  }
}

/** Numbers as their text, so that values are equal if one of them merely lost digits. */
function normalized(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null), (_key, member) =>
    typeof member === 'string' && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(member) ? Number(member) : member,
  )
}
