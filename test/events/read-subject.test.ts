import { expect, it } from 'vitest'
import { readSubject } from '../../src/events/read-subject.ts'

it.each([
  [
    { id: 48121, status: 'Sent', amount: { number: '99.50', currency: 'EUR' } },
    ['48121', 'Sent', '99.50 EUR'],
  ],
  [{ id: '9223372036854775807', status: null, amount: 5 }, ['9223372036854775807']],
  [{ id: 'x'.repeat(1_000_000), amount: { number: 1 } }, ['x'.repeat(100), '1']],
  [{ id: {}, status: [] }, []],
  [null, []],
  ['text', []],
])('reads id, status and amount: %o', (data, texts) => {
  expect(Object.values(readSubject(data))).toEqual(texts)
})
