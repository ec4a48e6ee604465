import { expect, it } from 'vitest'
import { INBOX_OPTIONS } from '../../src/inbox/inbox-options.ts'
import { checkOptions } from '../../src/option-checks.ts'

it('the options of an inbox have the defaults of the documentation', () => {
  expect(checkOptions('createInbox', {}, INBOX_OPTIONS)).toEqual({
    dedupeSeconds: 120,
    oneAtATime: false,
    concurrency: 10,
    maxAttempts: 20,
    retryDelayMs: 1_000,
    maxRetryDelayMs: 3_600_000,
    stopTimeoutMs: 20_000,
    keepCompletedSeconds: 604_800,
  })
})
