import type { Cases, ReviewingCase } from '../check-case.ts'
import { MAX_RESPONSE_BYTES } from '../exchange.ts'

/** What all responses together show. */
export const REVIEWING_CASES: Cases<ReviewingCase> = {
  'reveals-secret': {
    title: 'No response has the right signature, the client id, the client secret or the token in it',
    why: 'A receiver that says which signature it expected signs for anyone who asks. With the client id, anyone can sign.',
    mend: 'Log the reason. Respond with a status and a neutral text.',
    expected: 'responses without them',
    review: (exchanges) => {
      const revealed = new Set(exchanges.flatMap((one) => one.revealed ?? []))
      return revealed.size === 0 ? undefined : `a response with ${[...revealed].join(' and ')}`
    },
  },
  'response-time': {
    level: 'should',
    title: 'All responses within half the time limit',
    why: 'Attempts are five seconds apart. A slow response arrives when the next attempt is under way.',
    mend: 'Store the notification, respond, and process it from a queue.',
    expected: 'less than half the time limit',
    review: (exchanges, { timeoutMs }) => {
      // One that failed is a finding of its own case.
      const complete = exchanges.filter(({ failure }) => failure === undefined)
      const slowest = Math.max(...complete.map(({ durationMs }) => durationMs))
      return slowest > timeoutMs / 2 ? `${Math.round(slowest)} ms` : undefined
    },
  },
  'response-size': {
    level: 'should',
    title: 'All responses are short',
    why: 'The service reads the status. A large body only takes time, and may show what it should not.',
    mend: 'Respond with an empty body or a short text.',
    expected: `at most ${MAX_RESPONSE_BYTES / 1_024} KiB`,
    review: (exchanges) => (exchanges.some(({ isCut }) => isCut) ? 'more' : undefined),
  },
}
