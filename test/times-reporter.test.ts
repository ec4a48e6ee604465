import { expect, it } from 'vitest'
import { findDear } from './times-reporter.ts'

const budget = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.test.ts`, 2 + index]))

/** What the files cost on a machine that is slower than that of the budget. */
function run(slowness: number, others: Record<string, number> = {}) {
  return Object.entries({ ...budget, ...others }).map(([file, seconds]) => ({
    file,
    processorMs: seconds * slowness * 1_000,
    wallMs: 0,
  }))
}

it.each([0.5, 1, 3])('finds the file that doubled on a machine %d times as slow', (slowness) => {
  expect(findDear(run(slowness, { 'new.test.ts': 3.9, '3.test.ts': 10.9 }), budget)).toEqual([])
  expect(findDear(run(slowness, { 'new.test.ts': 4.2, '3.test.ts': 11.2 }), budget)).toEqual([
    '3.test.ts costs 11.2 s instead of 5 s (test/processor-seconds.json).',
    'new.test.ts costs 4.2 s instead of 1.5 s (test/processor-seconds.json).',
  ])
})

it('does not judge a run of a few files', () => {
  expect(findDear(run(1, { 'new.test.ts': 100 }).slice(1), budget)).toEqual([])
})
