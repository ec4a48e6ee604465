import { EXPECTATIONS, type Exchange, type PlannedRequest } from './planned-request.ts'

const MAX_LABELS = 4

function isAsExpected(
  { expected, method = 'POST', transfer }: PlannedRequest,
  { status = 0, failure }: Exchange,
): boolean {
  if (expected === 'not accepted')
    return failure === 'closed' || (failure === undefined && !isAccepted(status))
  if (failure !== undefined)
    return expected === 'rejected or closed' && failure === 'closed' && !isAccepted(status)
  if (expected === 'accepted') return isAccepted(status)
  if (expected === 'not an error') return status < 500
  // Some servers have no other methods at all, or no chunks.
  return (status >= 400 && status <= 499) || (status === 501 && (method !== 'POST' || transfer === 'chunked'))
}

export function isAccepted(status = 0): boolean {
  return status >= 200 && status <= 299
}

/** The responses of a case in words: those that are wrong, or all. */
export function describe(planned: readonly PlannedRequest[], exchanges: readonly Exchange[]) {
  const sent = exchanges.map((exchange, index) => ({ exchange, request: planned[index] as PlannedRequest }))
  const wrong = sent.filter(({ request, exchange }) => !isAsExpected(request, exchange))
  const shown = wrong.length > 0 ? wrong : sent
  const observed = Map.groupBy(shown, ({ exchange }) => toWords(exchange))
  return {
    wrong,
    expected: [...new Set(shown.map(({ request }) => EXPECTATIONS[request.expected]))].join(', '),
    observed: [...observed]
      .map(([words, group]) =>
        wrong.length > 0 && planned.length > 1 ? `${words} (${toLabels(group, planned.length)})` : words,
      )
      .join(', '),
  }
}

const TRY_AGAIN = [409, 425, 503]

/**
 * Whether wrong responses are only unwise: all forgeries get a closed connection, or one of several
 * notifications of a payment is accepted, and the others are told to come again.
 */
export function isTolerable(
  wrong: readonly { readonly request: PlannedRequest; readonly exchange: Exchange }[],
  { closesForged, oneAccepted }: { readonly closesForged: boolean; readonly oneAccepted: boolean },
): boolean {
  return wrong.every(({ request, exchange }) =>
    request.expected === 'rejected'
      ? closesForged && isClosed(exchange)
      : oneAccepted && TRY_AGAIN.includes(exchange.status ?? 0),
  )
}

export function isClosed({ failure, status, code }: Exchange): boolean {
  return failure === 'closed' && status === undefined && !code?.startsWith('HPE_')
}

function toLabels(group: readonly { readonly request: PlannedRequest }[], total: number): string {
  const labels = group.map(({ request }) => request.label)
  if (labels.length === total) return total === 2 ? 'both' : `all ${total}`
  const more = labels.length > MAX_LABELS ? [`${labels.length - MAX_LABELS + 1} more`] : []
  return [...labels.slice(0, MAX_LABELS - more.length), ...more].join('; ')
}

export function toWords({ status, location, failure, message, code, durationMs }: Exchange): string {
  const seconds = `${Math.round(durationMs / 100) / 10} s`
  if (failure === 'timed out')
    return status === undefined
      ? `no response within ${seconds}`
      : `${status}, but no end of the body within ${seconds}`
  if (failure === 'unreachable') return `no connection: ${message}`
  if (failure === 'closed')
    return status === undefined
      ? code?.startsWith('HPE_')
        ? `bytes that are not HTTP (${message})`
        : 'the connection was closed without a response'
      : `${status}, but the connection was closed within the body`
  return location === undefined ? `${status}` : `${status} to ${location}`
}
