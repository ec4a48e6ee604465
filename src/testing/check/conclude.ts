import { OTHER_KEY } from './cases/forged-cases.ts'
import type { Sent } from './check-case.ts'
import { isAccepted, toWords } from './judge.ts'
import type { Exchange } from './planned-request.ts'

export const KEPT =
  'What it keeps of one request changes the next: a global variable, an HMAC that threads share, the lastIndex of a regular expression with the flag g, or a body that was not read.'
export const LOG = 'Look into its log.'
const KEY =
  'Does it verify the raw bytes, with the client id that is used here and the header ACCESS-SIGNATURE? Does the URL need a token?'
const REJECT = 'Respond with 401. Other statuses look like a failure, which a sender repeats.'
/** nginx limits the rate with 503, unless it is told otherwise. */
const LIMITED =
  'If it, or a proxy in front of it, limits the rate, lift the limit for the check. If it stops after forged notifications, anyone can stop it: do not count them as failures. Else look into its log.'
const UNVERIFIED =
  'The receiver accepts everything: it does not verify, it responds before it does, or the result is a promise that it does not await.'
const ONLY_SAID =
  'The receiver responds to forged notifications with another text, but with a 2xx, too. The sender reads the status: respond with 401.'
const PARTLY =
  'The receiver accepts some wrong signatures, and rejects others: it compares a part of the digits, or numbers, as == does in Perl and PHP. Compare all 64 digits, as text of equal length.'
const SHORTER =
  'The receiver accepts a part of the right signature: its comparison ends where the shorter text ends, as zip, strncmp and startsWith do, or searches. Compare the lengths, too.'
const THROWN =
  'The receiver rejects a wrong signature of 64 digits, but accepts one of another length: it goes on when the comparison throws, or the format is wrong. Respond with 401 there, too.'
/** Outside of tags: a page of any application may have a token in one. */
const IS_CSRF = /csrf|xsrf|authenticity.?token/i
const CSRF =
  'Its protection against CSRF, which is for forms in browsers, rejects it: exempt this path, as @csrf_exempt and skip_forgery_protection do.'
const UNUSED = 'The receiver accepts any signature: it ignores the result. Is that a promise, not awaited?'
/** How many notifications after the first tell whether it was the only one. */
const MIN_LATER = 3
const PROXY = 'A proxy responds for it: is it running, and fast enough for the proxy?'
const BUSY = 'It is busy, or a proxy responds for it: is it running, and fast enough for the proxy?'

/** What a status means that was not expected, where it says more than the case. */
export const ADVICE: Readonly<Record<number, string>> = {
  401: KEY,
  403: `${KEY} Or does a firewall reject it?`,
  404: 'Is the path of the URL right?',
  405: 'Is the path of the URL right? The service sends POST.',
  411: 'It needs a Content-Length.',
  413: 'The receiver, or a proxy in front of it, limits bodies to less than this one.',
  415: 'It does not take this Content-Type. The service does not document its own: take any.',
  429: 'Notifications come in bursts: do not limit those that are correctly signed. For the check, lift the limit of the receiver, or of a proxy in front of it. If it counts forged notifications of all senders, anyone can stop it.',
  502: PROXY,
  503: BUSY,
  504: PROXY,
}

/** What a certificate needs that Node does not trust. */
const TRUST =
  'Put the certificate, or that of its authority, into a file in PEM format, and name the file in NODE_EXTRA_CA_CERTS.'
const UNTRUSTED = /SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY_LEAF|GET_ISSUER)/

const NONE = 'no notification was accepted'
const ONLY_FIRST = 'no notification after the first was accepted'

/** Why the rest is not worth sending. */
export function toDeadEnd(sent: Sent): string | undefined {
  const genuine = allOf(sent).filter(({ request }) => request.expected === 'accepted')
  const accepted = genuine.map(({ status }) => isAccepted(status))
  if (!accepted.includes(true)) return NONE
  const [first, ...later] = accepted
  return first && later.length >= MIN_LATER && !later.includes(true) ? ONLY_FIRST : undefined
}

export function allOf(sent: Sent): Exchange[] {
  return [...sent.values()].flat()
}

/** What all responses together say, where the single results would only repeat it. */
export function conclude(sent: Sent, cause: string | undefined): string | undefined {
  const exchanges = allOf(sent)
  const [first] = exchanges
  if (first === undefined) return undefined
  if (first.status === undefined) return withoutResponse(first, cause)
  if (exchanges.some(({ status }) => status === 429))
    return `The receiver limits the rate: it responded with 429. ${ADVICE[429]}`
  const deadEnd = toDeadEnd(sent)
  if (deadEnd === NONE) return nothingAccepted(first, cause)
  if (deadEnd === ONLY_FIRST)
    return `The receiver accepts the first notification only, or every other one. ${KEPT}`
  const last = sent.get('in-the-end')?.[0]?.status
  if (last === 403 || last === 503)
    return `In the end, the receiver responded with ${last} to genuine notifications, too. ${LIMITED}`
  return ofComparison(sent) ?? ofForged(sent, first)
}

/** What several cases say of the comparison. */
function ofComparison(sent: Sent): string | undefined {
  const [altered = [], part = [], long = [], key = []] = [
    ...['signature-altered', 'signature-truncated', 'signature-too-long', 'wrong-key'],
  ].map((id) => sent.get(id)?.map(({ status }) => isAccepted(status)))
  // A comparison of numbers accepts those that begin like the right one, by chance.
  const byChance = allOf(sent).some(({ request, status }) => request.key === OTHER_KEY && isAccepted(status))
  if (altered.includes(true) && altered.includes(false))
    return byChance || [...part, ...long].includes(true) ? PARTLY : undefined
  if (key.concat(altered).includes(true)) return undefined
  const [start, , , , digit] = part
  if ([...part, ...long].every(Boolean) && long.length > 0) return THROWN
  return start && digit ? SHORTER : undefined
}

/** What the plainest forgeries say. */
function ofForged(sent: Sent, genuine: Exchange): string | undefined {
  const [wrong] = sent.get('wrong-key') ?? []
  const [unsigned] = sent.get('signature-missing') ?? []
  if (isAccepted(wrong?.status)) {
    if (toText(wrong) !== toText(genuine)) return ONLY_SAID
    return isAccepted(unsigned?.status) ? UNVERIFIED : UNUSED
  }
  if (wrong === undefined || unsigned === undefined || toWords(wrong) !== toWords(unsigned)) return undefined
  // It has ended, which the check says.
  if ([...sent.values()].at(-1)?.some(({ failure }) => failure === 'unreachable')) return undefined
  const { status = 0 } = wrong
  if (status >= 400 && status < 500) return undefined
  return `What a forged notification gets: ${toWords(wrong)}. ${REJECT}`
}

/** What a response says, without ids. */
export function toText({ text = '' }: Partial<Exchange> = {}): string {
  return text.replace(/[\da-f-]+/gi, '')
}

function withoutResponse(exchange: Exchange, cause: string | undefined): string {
  const { failure, message, code = '' } = exchange
  if (failure !== 'unreachable') return `The receiver does not respond: ${toWords(exchange)}. ${cause ?? LOG}`
  const advice = UNTRUSTED.test(code) ? TRUST : 'Start it, or check the URL.'
  return `There is no connection to the receiver: ${message}. ${cause ?? advice}`
}

function nothingAccepted(exchange: Exchange, cause: string | undefined): string {
  const { status = 0, text = '' } = exchange
  const isOfCsrf = IS_CSRF.test(text.replace(/<[^>]*>/g, ''))
  const ofStatus =
    status < 400
      ? 'Redirects are not followed: use the final URL, or respond with a 2xx.'
      : (ADVICE[status] ?? LOG)
  const advice = cause ?? (isOfCsrf ? CSRF : ofStatus)
  return `The receiver accepts nothing. The first response was ${toWords(exchange)}. ${advice}`
}
