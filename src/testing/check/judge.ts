import type { Exchange, PlannedRequest } from './planned-request.ts'

const MAX_LABELS = 4
const TRY_AGAIN = [409, 425, 503]

const EXPECTATIONS: Readonly<Record<PlannedRequest['expected'], string>> = {
  accepted: 'a 2xx',
  rejected: 'a 4xx',
  'rejected or closed': 'a 4xx, or a closed connection',
  'not accepted': 'anything but a 2xx',
  'not an error': 'a status below 500',
}

function isAsExpected(response: Exchange, sent: readonly Exchange[]): boolean {
  const { request, status = 0, failure } = response
  const { expected, method = 'POST', transfer } = request
  const isComplete = failure === undefined
  // Some servers have no other methods at all, or no chunks.
  const isUnknown = status === 501 && (method !== 'POST' || transfer === 'chunked')
  const isRejected = isComplete && ((status >= 400 && status <= 499) || isUnknown)
  const isNotAccepted = (isComplete || failure === 'closed') && !isAccepted(status)
  return {
    accepted: isComplete && isAccepted(status),
    rejected: isRejected,
    'rejected or closed': isRejected || (!isComplete && isNotAccepted),
    // A proxy may have a 2xx of its own for hosts and paths that it does not know.
    'not accepted':
      isNotAccepted || failure === 'closed' || (isComplete && !sent.some(isGenuineLike(response))),
    'not an error': isComplete && status < 500,
  }[expected]
}

/** Whether a genuine notification got a response of this form. */
function isGenuineLike(response: Exchange) {
  return (one: Exchange) => one.request.expected === 'accepted' && formOf(one) === formOf(response)
}

/** The status, and the names of the headers. */
function formOf({ status, head = [] }: Exchange): string {
  return `${status} ${head.filter((_, index) => index % 2 === 0).sort()}`
}

export function isAccepted(status = 0): boolean {
  return status >= 200 && status <= 299
}

/** The responses of a case in words: those that are wrong, or all. `sent`: the ones of all cases so far. */
export function describe(exchanges: readonly Exchange[], planned: number, sent: readonly Exchange[]) {
  const wrong = exchanges.filter((each) => !isAsExpected(each, sent))
  const shown = wrong.length > 0 ? wrong : exchanges
  const observed = [...Map.groupBy(shown, toWords)].map(([words, group]) =>
    wrong.length > 0 && planned > 1 ? `${words} (${toLabels(group, planned)})` : words,
  )
  return {
    wrong,
    expected: [...new Set(shown.map(({ request }) => EXPECTATIONS[request.expected]))].join(', '),
    observed: observed.join(', '),
  }
}

/**
 * Whether wrong responses are only unwise: all forgeries, or all that are unsigned or malformed, get a closed
 * connection, or one of several notifications of a payment is accepted, and the others are told to come again.
 */
export function isTolerable(
  wrong: readonly Exchange[],
  closes: (forged: PlannedRequest) => boolean,
  oneAccepted: boolean,
): boolean {
  return wrong.every((each) =>
    each.request.expected === 'rejected'
      ? closes(each.request) && isClosed(each)
      : oneAccepted && TRY_AGAIN.includes(each.status ?? 0),
  )
}

export function isClosed({ failure, status, code }: Exchange): boolean {
  return failure === 'closed' && status === undefined && !code?.startsWith('HPE_')
}

function toLabels(group: readonly Exchange[], total: number): string {
  const labels = group.map(({ request }) => request.label)
  if (labels.length === total) return total === 2 ? 'both' : `all ${total}`
  const more = labels.length > MAX_LABELS ? [`${labels.length - MAX_LABELS + 1} more`] : []
  return [...labels.slice(0, MAX_LABELS - more.length), ...more].join('; ')
}

export function toWords(exchange: Exchange): string {
  const { status, location, failure, message, durationMs } = exchange
  const seconds = `${Math.round(durationMs / 100) / 10} s`
  if (failure === 'unreachable') return `no connection: ${message}`
  if (failure === 'timed out')
    return status === undefined
      ? `no response within ${seconds}`
      : `${status}, but no end of the body within ${seconds}`
  if (isClosed(exchange)) return 'the connection was closed without a response'
  if (failure === 'closed')
    return status === undefined
      ? `bytes that are not HTTP (${message})`
      : `${status}, but the connection was closed within the body`
  return location === undefined ? `${status}` : `${status} to ${location}`
}
