import { expect, it } from 'vitest'
import { readHighlights } from '../../src/events/read-highlights.ts'

it.each([
  [
    { id: 48121, status: 'Sent', amount: { number: '99.50', currency: 'EUR' } },
    ['48121', 'Sent', '99.50 EUR'],
  ],
  [{ id: '9223372036854775807', status: null, amount: 5 }, ['9223372036854775807']],
  [{ id: 'x'.repeat(10_000), amount: { number: 1 } }, ['x'.repeat(100), '1']],
  [{ id: {}, status: [] }, []],
  [null, []],
  ['text', []],
  [{ id: 1, statusReason: 'x'.repeat(100_000) }, []],
])('reads id, status and amount: %o', (data, texts) => {
  const body = JSON.stringify({ type: 'A_KIND', data: JSON.stringify(data) })
  expect(Object.values(readHighlights(body))).toEqual(texts)
  expect(Object.values(readHighlights(new TextEncoder().encode(body)))).toEqual(texts)
})

it('reads bodies of up to 64 KiB', () => {
  const body = (length: number) => {
    const empty = '{"type":"A_KIND","data":{"id":1,"note":""}}'
    return empty.replace('""', `"${'x'.repeat(length - empty.length)}"`)
  }
  expect(readHighlights(body(65_536))).toEqual({ id: '1' })
  expect(readHighlights(body(65_537))).toEqual({})
})

it('keeps every digit of an id', () => {
  expect(readHighlights('{"type":"A_KIND","data":{"id":9223372036854775807}}')).toEqual({
    id: '9223372036854775807',
  })
})

it.each(['', '{', '[]', '{"data":{"id":1}}', '\ud800'])('reads nothing from %j', (body) => {
  expect(readHighlights(body)).toEqual({})
})
