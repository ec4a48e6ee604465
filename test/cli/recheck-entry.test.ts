import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { isSameDecimal } from '../../fuzz/oracles/exact-decimal.ts'
import { recheckEntry } from '../../src/cli/recheck-entry.ts'
import { toSchemaMap } from '../../src/events/kind-schemas.ts'
import type { InboxEntry } from '../../src/inbox/inbox.ts'
import { parse } from '../../src/parse.ts'
import { signedFrom } from '../contracts/signed-notification.ts'
import { fixtureCases } from '../fixture-cases.ts'

const reading = { schemas: toSchemaMap(undefined), concurrencyKey: undefined }
const whatDiffers = (body: string | Uint8Array, error: string | null = null, how = reading) =>
  recheckEntry({ ...signedFrom(Buffer.from(body)), error } as InboxEntry, how).map(({ what }) => what)

function readingOf(body: Uint8Array): string[] {
  try {
    return parse(body).type === 'UNRECOGNIZED' ? ['unrecognized'] : []
  } catch {
    return ['unreadable']
  }
}

describe('an entry that was stored by this version', () => {
  it.each(fixtureCases)('differs only if it cannot be read or recognized: $name', ({ body }) => {
    const expected = readingOf(body)
    expect(whatDiffers(body)).toEqual(expected)
    // That is why it is dead.
    expect(whatDiffers(body, 'PayloadError: …')).toEqual(expected.length === 0 ? ['readable'] : [])
  })

  it('differs in digits exactly if a schema rounds a number', () => {
    const digits = fc
      .array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 25 })
      .map((all) => all.join(''))
    const number = fc
      .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.option(fc.integer({ min: -9, max: 9 })))
      .map(([sign, whole, part, power]) =>
        [
          sign,
          whole.replace(/^0+(?=\d)/, ''),
          part === null ? '' : `.${part}`,
          power === null ? '' : `e${power}`,
        ].join(''),
      )
    const schemas = toSchemaMap({ ROUNDED: z.object({ list: z.array(z.coerce.number()) }) })
    fc.assert(
      fc.property(number, fc.boolean(), (source, inline) => {
        const data = `{"list":[${source}]}`
        const body = (type: string) => `{"type":"${type}","data":${inline ? data : JSON.stringify(data)}}`
        expect(whatDiffers(body('VBA_TRANSACTION'))).toEqual([])
        const isKept = isSameDecimal(String(Number(source)), source)
        expect(whatDiffers(body('ROUNDED'), null, { ...reading, schemas })).toEqual(isKept ? [] : ['digits'])
      }),
      { numRuns: 2_000 },
    )
  })
})
