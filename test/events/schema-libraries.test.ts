import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { parse } from '../../src/index.ts'

const schemas = {
  valibot: v.object({
    id: v.string(),
    status: v.picklist(['Paid', 'Open']),
    note: v.optional(v.string()),
  }),
  arktype: type({ id: 'string', status: "'Paid' | 'Open'", 'note?': 'string' }),
}

describe.each(Object.entries(schemas))('a schema of %s', (_library, schema) => {
  const kinds = { REFUND: schema }

  it('validates and types a kind of event', () => {
    const event = parse('{"type":"REFUND","data":{"id":12345678901234567890,"status":"Paid"}}', { kinds })
    expect(event).toEqual({ type: 'REFUND', data: { id: '12345678901234567890', status: 'Paid' } })
    if (event.type === 'REFUND') expectTypeOf(event.data.status).toEqualTypeOf<'Paid' | 'Open'>()
  })

  it('reports the path of invalid data', () => {
    const event = parse('{"type":"REFUND","data":{"id":"1","status":"paid"}}', { kinds })
    expect(event).toMatchObject({ type: 'UNRECOGNIZED', kind: 'REFUND' })
    if (event.type !== 'UNRECOGNIZED') throw new Error('recognised')
    expect(event.issues).toMatchObject([{ path: ['status'], message: expect.any(String) }])
  })
})
