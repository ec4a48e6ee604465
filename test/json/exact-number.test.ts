import { expect, it } from 'vitest'
import { ExactNumber } from '../../src/json/exact-number.ts'

it('an exact number keeps every digit as text and as JSON', () => {
  const exact = new ExactNumber('12345678901234567890.10')
  expect(String(exact)).toBe('12345678901234567890.10')
  expect(JSON.stringify({ amount: exact })).toBe('{"amount":12345678901234567890.10}')
})
