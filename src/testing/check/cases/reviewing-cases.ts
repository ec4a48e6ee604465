import type { Cases, ReviewingCase } from '../check-case.ts'
import { toText } from '../conclude.ts'
import { MAX_RESPONSE_BYTES } from '../exchange.ts'
import { isAccepted } from '../judge.ts'
import type { Exchange } from '../planned-request.ts'
import { DIGITS } from './byte-cases.ts'

/** What doubles make of the large ids: in JavaScript, in C, in Python. */
const ROUNDED = /\b(?:9007199254740992|9223372036854775808|9223372036854776000|9\.223372036854776e\+?18)\b/i

/** The name of a source file, and a number of a line. */
const TRACE = /\.(?:[cm]?[jt]s|py|java|kt|php|rb|go|cs|p[lm]|exs?|rs)"?(?:\(|:|,? (?:on )?line |:line )\d/

/** Shorter ones may end another text by chance. */
const MIN_RESPONSE = 4
/** Before "valid" or "accepted", it is the end of one text, and not the first of two. */
const NEGATED = /(?:[ _-]|in|un|dis|mis|non)$/i

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
  'reveals-trace': {
    level: 'should',
    title: 'No 2xx and no 5xx has a stack trace in it',
    why: 'A stack trace tells strangers the paths, the libraries, and their versions.',
    mend: 'Catch the exception, log it, and respond with a neutral text. In Express, set NODE_ENV to production, too, and in PHP, display_errors to 0.',
    expected: 'responses without one',
    review: (exchanges) =>
      exchanges.some(({ status = 0, text = '' }) => (isAccepted(status) || status >= 500) && TRACE.test(text))
        ? 'a response with a file and a line of its code'
        : undefined,
  },
  'rounded-id': {
    level: 'should',
    title: 'No response has a large id with other digits in it',
    why: 'The receiver reads ids as doubles. With a wrong digit, the notification is about a different payment.',
    mend: DIGITS,
    expected: 'responses without them',
    review: (exchanges) => {
      const [rounded] = exchanges.flatMap(({ text = '' }) => ROUNDED.exec(text) ?? [])
      return rounded && `a response with ${rounded}`
    },
  },
  'taken-for-duplicate': {
    level: 'should',
    title: 'A new notification, which differs in its id, gets no response that only a repeated one gets',
    why: 'A receiver that looks for duplicates by what notifications have in common handles the first one only. The envelope has no id.',
    mend: 'Two notifications are the same if their bodies are: compare those, or their signatures.',
    expected: 'another response than that of a duplicate',
    review: (_, __, sent) => {
      const [first, ...others] = ['plain', 'three-times'].flatMap((id) =>
        sent.filter((one) => one.id === id).flatMap(({ exchanges }) => exchanges.map(toText)),
      )
      const [fresh, again] = others
      return again !== undefined && fresh === again && again !== first
        ? 'the response of a duplicate'
        : undefined
    },
  },
  'rejected-and-handled': {
    level: 'should',
    title: 'No rejection has the whole response to a genuine notification after it',
    why: 'The receiver says that it rejects, and goes on: what is forged is handled.',
    mend: 'Return, or exit, after the rejection.',
    expected: 'one response',
    review: (exchanges) => {
      const [first] = exchanges
      const accepted = (isAccepted(first?.status) && first?.text?.trim()) || ''
      const isBoth = ({ status = 0, text = '' }: Exchange) => {
        const before = text.trim().slice(0, -accepted.length)
        return status >= 400 && text.trim() === before + accepted && !NEGATED.test(before)
      }
      return accepted.length >= MIN_RESPONSE &&
        exchanges.some((one) => isBoth(one) && one.text !== first?.text)
        ? 'a rejection with the response to a genuine one'
        : undefined
    },
  },
  'response-time': {
    level: 'should',
    title: 'All responses within half the time limit',
    why: 'Attempts are five seconds apart. A slow response arrives when the next attempt is under way.',
    mend: 'Store the notification, respond, and process it from a queue.',
    expected: 'less than half the time limit',
    review: (exchanges, { timeoutMs }, sent) => {
      // The service sends nothing as large, and one that failed is a finding of its own case.
      const large = sent.filter(({ id }) => id === 'megabyte').flatMap((each) => each.exchanges)
      const complete = exchanges.filter((one) => one.failure === undefined && !large.includes(one))
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
