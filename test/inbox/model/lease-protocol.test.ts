import { describe, expect, it } from 'vitest'
import { entry, SCENARIO, type Scenario } from './execution.ts'
import { explore } from './explore.ts'
import type { Mistake } from './shared-entries.ts'

describe('two workers, whatever happens in whatever order', () => {
  it.each<[string, Partial<Scenario>]>([
    ['a crash at any step', {}],
    ['a failure, a death and its replay', { crashes: 0, failures: 1, maxAttempts: 1, replays: 1 }],
    ['"not yet", twice', { crashes: 0, deferrals: 2, maxAttempts: 1 }],
    ['"not yet" and a crash', { deferrals: 1, maxAttempts: 2, entries: [entry('1', 'a'), entry('2', 'a')] }],
    ['"not yet" of a suspect', { crashes: 0, deferrals: 1, entries: [entry('1', 'a', 2), entry('2', 'a')] }],
    ['a crash and a failure', { failures: 1, entries: [entry('1', 'a'), entry('2', 'a')] }],
    ['a suspect', { crashes: 0, failures: 1, entries: [entry('1', 'a', 2), entry('2', 'b')] }],
    ['a suspect that crashes', { entries: [entry('1', 'a', 2), entry('2', 'a')] }],
  ])('handle everything, one of a key at a time: %s', async (_, more) => {
    const { states, violation } = await explore({ ...SCENARIO, ...more })
    expect(violation).toBeUndefined()
    expect(states).toBeGreaterThan(100)
  })

  it.each<[Mistake, string]>([
    ['leaking counter', 'never finishes'],
    ['batch of one key', 'two of a key at once'],
    ['wake before settling', 'never finishes'],
    ['park later', 'never finishes'],
    ['impatient recovery', 'at once'],
    ['no recovery', 'never finishes'],
    ['deferred keeps its key', 'never finishes'],
    ['deferral counts', 'too many attempts'],
  ])('would show the mistake of a store: %s', async (mistake, violation) => {
    const more = mistake.startsWith('defer') && { crashes: 0, deferrals: 1, maxAttempts: 1 }
    expect((await explore({ ...SCENARIO, ...more, mistake })).violation).toContain(violation)
  })
})
