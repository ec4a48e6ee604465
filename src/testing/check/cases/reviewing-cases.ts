import { Buffer } from 'node:buffer'
import type { Cases, ReviewingCase } from '../check-case.ts'
import { toText } from '../conclude.ts'
import { MAX_RESPONSE_BYTES } from '../exchange.ts'
import { isAccepted } from '../judge.ts'
import type { Exchange } from '../planned-request.ts'
import type { Samples } from '../samples.ts'
import { DIGITS } from './byte-cases.ts'

/** What doubles make of the large ids: in JavaScript, in C, in Python. */
const ROUNDED = /\b(?:9007199254740992|9223372036854775808|9223372036854776000|9\.223372036854776e\+?18)\b/i

/** The name of a source file, and a number of a line. */
const TRACE = /\.(?:[cm]?[jt]s|py|java|kt|php|rb|go|cs|p[lm]|exs?|rs)"?(?:\(|:|,? (?:on )?line |:line )\d/

/** What only a response to a failure says. */
const FAILURE = /\b(?:error|exception|failed|failure|uncaught)\b|"(?:ok|success)": ?false/i

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
    review: (exchanges, { samples }) => {
      const revealed = new Set(exchanges.flatMap((one) => toRevealed(one, samples)))
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
  'acknowledged-failure': {
    level: 'should',
    title: 'No 2xx says that a genuine notification failed',
    why: 'The service reads the status only, and does not send again what got a 2xx: it is lost.',
    mend: 'Respond with a 5xx to what was not stored. In PHP, set display_errors to 0, or an exception gets a 200.',
    expected: 'a 2xx without it',
    review: ([first, ...others], { sent }) => {
      const wordOf = (one?: Exchange) => FAILURE.exec(one?.text ?? '')?.[0]
      const isFailed = (one: Exchange) =>
        one.request.expected === 'accepted' && isAccepted(one.status) && wordOf(one) !== undefined
      const failed = wordOf(first) === undefined ? others.find(isFailed) : undefined
      if (failed === undefined) return undefined
      const [id] = [...sent].find(([, exchanges]) => exchanges.includes(failed)) ?? []
      return `a ${failed.status} with "${wordOf(failed)}" (${[id, failed.request.label].filter(Boolean).join(': ')})`
    },
  },
  'taken-for-duplicate': {
    level: 'should',
    title: 'No new notification gets the response that only a repeated one gets',
    why: 'It is lost, unless the receiver reads the payment from the API. Notifications of one payment have its id in common, and anyone can send a copy before it.',
    mend: 'Verify first. Two notifications are the same if their bodies are: compare those, or their signatures.',
    expected: 'another response than that of a duplicate',
    review: (_, { sent }) => {
      const [plain, fresh, again] = ['plain', 'three-times'].flatMap((id) => sent.get(id) ?? [])
      const isDuplicate = (one?: Exchange) => one !== undefined && toReply(one) === toReply(again)
      if (again === undefined || isDuplicate(plain)) return undefined
      // Complete may be ignored, as a duplicate is.
      const complete = sent.get('statuses')?.find(({ request }) => request.label === 'Complete')
      // In a second check, both are known.
      const [, large, oneLess] = sent.get('large-id') ?? []
      const taken = {
        'a new id': fresh,
        'a large id that a double takes for another': isDuplicate(large) ? undefined : oneLess,
        'a new status': isDuplicate(complete) ? undefined : complete && sent.get('out-of-order')?.[1],
        'a genuine one after a copy with another key': sent.get('body-changed-later')?.[1],
      }
      const [what] = Object.entries(taken).find(([, one]) => isDuplicate(one)) ?? []
      return what && `the response of a duplicate (${what})`
    },
  },
  'taken-for-new': {
    level: 'should',
    title: 'Of equal notifications at once, only one gets the response of a new one',
    why: 'A receiver that looks for a duplicate before it inserts finds none, and handles both.',
    mend: 'Insert its key with ON CONFLICT DO NOTHING, and skip its effects if no row was inserted.',
    expected: 'one response of a new one',
    review: (_, { sent }) => {
      const [fresh, again] = sent.get('three-times') ?? []
      const atOnce = sent.get('three-at-once') ?? []
      const count = atOnce.filter((one) => toReply(one) === toReply(fresh)).length
      return again && toReply(again) !== toReply(fresh) && count > 1
        ? `${count} of ${atOnce.length}`
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
    review: (exchanges, { timeoutMs, sent }) => {
      // Large or slow ones take their time to send, and one that failed is a finding of its own case.
      const others = ['megabyte', 'no-limit', 'slow-body'].flatMap((id) => sent.get(id) ?? [])
      const complete = exchanges.filter((one) => one.failure === undefined && !others.includes(one))
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

function toReply(one?: Exchange): string {
  return `${one?.status} ${toText(one)}`
}

/** Shorter ones may be in a response by chance. */
const MIN_SECRET = 8
const MAX_HASHED = 1_000_000

/** What a response has in it, although the request had not. */
function toRevealed({ request, head = [], text = '' }: Exchange, samples: Samples): string[] {
  const { body, signatures, path = samples.path } = request
  const { url, clientId, clientSecret = '', token = '', signatureOf } = samples
  const given = `${new URL(url).origin}${path} ${signatures}`
  // To hash a huge body takes longer than to send it.
  const digits = body.length > MAX_HASHED ? '' : signatureOf(body)
  const digest = Buffer.from(digits, 'hex')
  // The last two: a buffer in JSON, and as Node prints it.
  const bytes = [digest.join(), digits.replace(/..(?!$)/g, '$& ')]
  const forms = [digits, digits.toUpperCase(), digest.toString('base64'), ...bytes]
  // PHP writes a solidus of JSON as `\/`.
  const parts = [...head, text.replaceAll('\\/', '/')]
  const isRevealed = (secret: string) =>
    secret.length >= MIN_SECRET && !given.includes(secret) && parts.some((part) => part.includes(secret))
  const secrets: Readonly<Record<string, readonly string[]>> = {
    'the client id': [clientId],
    // PHP writes no more of a text in a trace.
    'the start of the client id': clientId.length > 15 ? [`${clientId.slice(0, 15)}...`] : [],
    'the client secret': [clientSecret],
    'the callback token': [token],
    'the right signature': forms.some((form) => given.includes(form)) ? [] : forms,
  }
  return Object.keys(secrets).filter((name) => secrets[name]?.some(isRevealed))
}
