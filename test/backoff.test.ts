import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backoff } from '../src/backoff.ts'

it('doubles up to the longest delay', () => {
  const none = () => 0
  expect([1, 2, 3, 4, 5].map((attempt) => backoff(attempt, 1_000, 6_000, none))).toEqual([
    1_000, 2_000, 4_000, 6_000, 6_000,
  ])
})

it('subtracts up to half at random', () => {
  expect(backoff(1, 1_000, 6_000, () => 0.5)).toBe(750)
  expect(backoff(3, 1_000, 6_000, () => 0.999_999)).toBe(2_000)
})

it('stays within bounds for any attempt', () => {
  const milliseconds = fc.integer({ min: 1, max: 2 ** 31 - 1 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), milliseconds, milliseconds, (attempt, first, max) => {
      const wait = backoff(attempt, first, max)
      expect(wait).toBeGreaterThanOrEqual(Math.floor(Math.min(first, max) / 2))
      expect(wait).toBeLessThanOrEqual(max)
    }),
  )
})
