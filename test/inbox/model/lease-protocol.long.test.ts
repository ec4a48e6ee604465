import { describe, expect, it } from 'vitest'
import { entry, SCENARIO, type Scenario } from './execution.ts'
import { explore } from './explore.ts'

describe('two workers, with a suspect, an entry of its key and one of another key', () => {
  it.each<[string, Partial<Scenario>]>([
    ['"not yet"', { deferrals: 1 }],
    ['a failure', { failures: 1 }],
  ])('handle everything, one of a key at a time: %s', async (_, more) => {
    const entries = [entry('1', 'a', 2), entry('2', 'a'), entry('3', 'b')]
    const { states, violation } = await explore({ ...SCENARIO, entries, crashes: 0, ...more })
    expect(violation).toBeUndefined()
    expect(states).toBeGreaterThan(3_000)
  })
})
