import type { Exchange } from './exchange.ts'
import { EXPECTATIONS, type PlannedRequest } from './planned-request.ts'

/** Whether a response is what was expected. */
export function isAsExpected({ expected }: PlannedRequest, { status = 0, failure }: Exchange): boolean {
  if (failure !== undefined)
    return expected === 'rejected or closed' && failure === 'closed' && !isAccepted(status)
  if (expected === 'accepted') return isAccepted(status)
  if (expected === 'not an error') return status < 500
  return status >= 400 && status <= 499
}

export function isAccepted(status = 0): boolean {
  return status >= 200 && status <= 299
}

/** The responses of a case in words: the first that is wrong, or all that differ. */
export function describe(planned: readonly PlannedRequest[], exchanges: readonly Exchange[]) {
  const wrong = exchanges.findIndex((each, index) => !isAsExpected(planned[index] as PlannedRequest, each))
  const shown = wrong < 0 ? exchanges : exchanges.slice(wrong, wrong + 1)
  const observed = [...new Set(shown.map(toWords))].join(', ')
  const expected = new Set(
    (wrong < 0 ? planned : planned.slice(wrong, wrong + 1)).map((one) => EXPECTATIONS[one.expected]),
  )
  const name = planned[wrong]?.label ?? `request ${wrong + 1}`
  return {
    isRight: wrong < 0,
    expected: [...expected].join(', '),
    observed: wrong >= 0 && planned.length > 1 ? `${observed} (${name})` : observed,
  }
}

export function toWords({ status, location, failure, message, durationMs }: Exchange): string {
  const seconds = `${Math.round(durationMs / 100) / 10} s`
  if (failure === 'timed out')
    return status === undefined
      ? `no response within ${seconds}`
      : `${status}, but no end of the body within ${seconds}`
  if (failure === 'unreachable') return `no connection: ${message}`
  if (failure === 'closed')
    return status === undefined
      ? 'the connection was closed without a response'
      : `${status}, but the connection was closed within the body`
  return location === undefined ? `${status}` : `${status} to ${location}`
}
