import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSubject, readSubject } from '../../src/events/subject.ts'
import { parse } from '../../src/index.ts'

const body = (type: string, id: string) => `{"type":"${type}","data":{"id":${id},"status":"Complete"}}`

describe('subject', () => {
  it.each([
    ['OUTBOUND_PAYMENT_STATUS_UPDATED', 'payment:48121'],
    ['INBOUND_PAYMENT_STATUS_UPDATED', 'payment:48121'],
    ['PAYMENT_STATUS_UPDATED', 'payment:48121'],
    ['OUTBOUND_INVOICE_STATUS_UPDATED', 'invoice:48121'],
    ['INBOUND_INVOICE_STATUS_UPDATED', 'invoice:48121'],
    ['ACCOUNT_STATUS_UPDATED', 'account:48121'],
  ])('of %s is %s', (kind, subject) => {
    expect(readSubject(body(kind, '48121'))).toBe(subject)
    expect(readSubject(JSON.stringify({ type: kind, data: '{"id":"48121"}' }))).toBe(subject)
  })

  it.each([
    ['9223372036854775807', 'payment:9223372036854775807'],
    ['"9223372036854775807"', 'payment:9223372036854775807'],
    ['4.8121e4', 'payment:48121'],
    ['48121.5', null],
    ['"48121.0"', null],
    ['"a text"', null],
    ['null', null],
    ['true', null],
    ['[1]', null],
    [`"${'1'.repeat(201)}"`, null],
  ])('of the id %s is %s', (id, subject) => {
    expect(readSubject(body('INBOUND_PAYMENT_STATUS_UPDATED', id))).toBe(subject)
  })

  it.each([
    body('VBA_TRANSACTION', '1'),
    body('toString', '1'),
    '{"type":"INBOUND_PAYMENT_STATUS_UPDATED"}',
    '{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":"text"}',
    '{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":{}}',
    '{"type":1}',
    'text',
    '{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":"{\\"id\\":1,\\"status\\":\\"Comp',
    // Like what the service writes, but inside of something else, or with an id that is not JSON.
    '{"inner":{"type":"PAYMENT_STATUS_UPDATED","data":"{\\"id\\":5,\\"status\\":\\"Sent\\"}"},"other":"{}"}',
    '{"type":"PAYMENT_STATUS_UPDATED","data":"{\\"id\\":5abc,\\"status\\":\\"Sent\\"}"}',
    '{"type":"PAYMENT_STATUS_UPDATED","data":"{\\"id\\":x12,\\"status\\":\\"Sent\\"}"}',
    '',
  ])('of %s is null', (text) => {
    expect(readSubject(text)).toBeNull()
    expect(readSubject(new TextEncoder().encode(text))).toBeNull()
  })

  it('of a body as the service writes it is read from its beginning', () => {
    const text = '{"type":"PAYMENT_STATUS_UPDATED","data":"{\\"id\\":48121,\\"status\\":\\"Sent\\"}"}'
    expect(readSubject(text)).toBe('payment:48121')
    expect(readSubject(text.replace('48121', '999999999999999'))).toBe('payment:999999999999999')
  })

  it.each([
    ['a', true],
    ['x'.repeat(200), true],
    ['x'.repeat(201), false],
    ['', false],
    ['a\0b', false],
    ['\ud800', false],
    [null, false],
    [5, false],
    [['a'], false],
  ])('%j: %s', (value, valid) => {
    expect(isSubject(value)).toBe(valid)
  })

  it('is read from bytes that are not UTF-8 without an error', () => {
    expect(readSubject(new Uint8Array([0xff]))).toBeNull()
  })

  it('is the same in a body and in its event', () => {
    const id = fc.oneof(
      fc.bigInt().map(String),
      fc.double().map((number) => JSON.stringify(number)),
      fc.string().map((text) => JSON.stringify(text)),
      fc.json(),
    )
    fc.assert(
      fc.property(id, (text) => {
        const sent = body('INBOUND_PAYMENT_STATUS_UPDATED', text)
        const stringified = JSON.stringify({
          ...JSON.parse(sent),
          data: `{"id":${text},"status":"Complete"}`,
        })
        const event = parse(sent)
        const subject = readSubject(sent)
        expect(readSubject(stringified)).toBe(subject)
        const about = event.type === 'INBOUND_PAYMENT_STATUS_UPDATED' ? `payment:${event.data.id}` : null
        expect(subject).toBe(isSubject(about) ? about : null)
      }),
    )
  })
})
