import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { fitsDouble } from '../../fuzz/oracles/exact-decimal.ts'
import { recheckEntry } from '../../src/cli/recheck-entry.ts'
import { toSchemaMap } from '../../src/events/kind-schemas.ts'
import type { InboxEntry } from '../../src/inbox/inbox.ts'
import { parse } from '../../src/parse.ts'
import { signedFrom } from '../contracts/signed-notification.ts'
import { fixtureCases } from '../fixture-cases.ts'
import { jsonNumber } from '../support/json-number.ts'

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
    const schemas = toSchemaMap({ ROUNDED: z.object({ list: z.array(z.coerce.number()) }) })
    fc.assert(
      fc.property(jsonNumber(9), fc.boolean(), (source, inline) => {
        const data = `{"list":[${source}]}`
        const body = (type: string) => `{"type":"${type}","data":${inline ? data : JSON.stringify(data)}}`
        expect(whatDiffers(body('VBA_TRANSACTION'))).toEqual([])
        const differs = fitsDouble(source) ? [] : ['digits']
        expect(whatDiffers(body('ROUNDED'), null, { ...reading, schemas })).toEqual(differs)
      }),
      { numRuns: 2_000 },
    )
  })
})
