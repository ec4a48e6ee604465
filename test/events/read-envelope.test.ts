import { describe, expect, it } from 'vitest'
import { kindOfEvent } from '../../src/events/parse-event.ts'
import { readKind } from '../../src/events/read-envelope.ts'
import { parse } from '../../src/index.ts'

describe('an envelope', () => {
  it.each([
    ['', 'payload_not_json', 'The body is empty. Was it read before payhook saw it?'],
    [
      '{"type":',
      'payload_not_json',
      'The body is not JSON. Does its length match what was sent, or was it cut off?',
    ],
    ['[]', 'envelope_invalid', 'The body is JSON, but it is an array, not an object.'],
    ['null', 'envelope_invalid', 'The body is JSON, but it is null, not an object.'],
    ['"text"', 'envelope_invalid', 'The body is JSON, but it is a string, not an object.'],
    ['{}', 'envelope_invalid', 'The body has no kind: "type" is missing, not a string.'],
    ['{"type":null}', 'envelope_invalid', 'The body has no kind: "type" is null, not a string.'],
    ['{"type":[]}', 'envelope_invalid', 'The body has no kind: "type" is an array, not a string.'],
    ['{"type":5}', 'envelope_invalid', 'The body has no kind: "type" is a number, not a string.'],
    ['\ud800', 'payload_not_utf8', 'The body is not UTF-8, so it is not the JSON that the service sends.'],
  ])('is refused if it is %j, and the error says why', (body, code, message) => {
    expect(() => parse(body)).toThrow(expect.objectContaining({ code, message }))
    expect(readKind(body)).toBeNull()
  })

  it('may begin with a byte order mark, but not end with one', () => {
    const body = '{"type":"VBA_TRANSACTION","data":[1]}'
    for (const text of [body, `\ufeff${body}`]) {
      expect(parse(text)).toEqual({ type: 'VBA_TRANSACTION', data: [1] })
      expect(parse(new TextEncoder().encode(text))).toEqual({ type: 'VBA_TRANSACTION', data: [1] })
    }
    expect(() => parse(`${body}\ufeff`)).toThrow(expect.objectContaining({ code: 'payload_not_json' }))
  })
})

describe('the kind of a notification', () => {
  it.each(['VBA_TRANSACTION', 'A_NEW_KIND'])('%s is read from its body and from its event', (kind) => {
    const body = JSON.stringify({ type: kind, data: 1 })
    expect(readKind(body)).toBe(kind)
    expect(kindOfEvent(parse(body))).toBe(kind)
  })

  it('is the only issue if it is unknown', () => {
    expect(parse('{"type":"A_NEW_KIND"}')).toMatchObject({
      type: 'UNRECOGNIZED',
      issues: [
        {
          code: 'unknown_kind',
          path: ['type'],
          message: 'is a kind that this version of payhook does not know',
        },
      ],
    })
  })
})

describe('the issues of data', () => {
  const issuesOf = (data: unknown) => {
    const event = parse(JSON.stringify({ type: 'INBOUND_INVOICE_STATUS_UPDATED', data }))
    return 'issues' in event ? event.issues.map(({ path, message }) => `${path.join('.')} ${message}`) : []
  }

  it.each([
    [{ id: 1 }, ['status is required, and must be a string']],
    [{ id: 1, status: 5 }, ['status must be a string']],
    [
      { status: 'Sent' },
      ['id is required, and must be an identifier: an integer, or a string of decimal digits'],
    ],
    [{ id: 1.5, status: 'Sent' }, ['id must be an identifier: an integer, or a string of decimal digits']],
    [
      { id: 1, status: 'Sent', dueDate: '2026-02-30' },
      ['dueDate must be an ISO date or date-time, such as 2026-11-21 or 2026-11-21T10:30:00Z, or a number'],
    ],
    [
      { id: 1, status: 'Sent', amount: { number: 'x', currency: 'USD' } },
      ['amount.number must be a decimal number of at most 1000 digits'],
    ],
    ['text', [' must be an object']],
  ])('of %j say which field must be what', (data, issues) => {
    expect(issuesOf(data)).toEqual(issues)
  })

  it('are none if only optional fields are missing or null, and there is one for a required field', () => {
    const found = (fields: object) => issuesOf({ id: 1, status: 'Sent', ...fields }).length
    for (const fields of [{}, { amount: null }, { payerAccountId: null }]) expect(found(fields)).toBe(0)
    expect(found({ amount: { number: 1, currency: 'USD' } })).toBe(0)
    for (const fields of [{ id: null }, { status: null }]) expect(found(fields)).toBe(1)
    expect(found({ amount: { number: null, currency: 'USD' } })).toBe(1)
  })
})
