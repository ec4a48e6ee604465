import type { ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import type { Closing } from '../delivery/closing.ts'
import { HttpError } from '../http-error.ts'
import { type ApiFaults, limitFaults } from '../state/faults.ts'

export type FailingApi = ReturnType<typeof createFailingApi>

/**
 * Makes requests to the API fail.
 *
 * @param closing ends a delay early
 */
export function createFailingApi(closing: () => Closing) {
  let path = ''
  let nextFaults = limitFaults<ApiFaults>({})
  const fail: MiddlewareHandler = async (c, next) => {
    if (!c.req.path.startsWith(path)) return await next()
    const { status, retryAfterSeconds, delayMs = 0, loseResponse } = nextFaults()
    await closing().pause(delayMs)
    const after = retryAfterSeconds ?? (status === 429 ? 1 : undefined)
    const headers = after === undefined ? {} : { 'retry-after': String(after) }
    if (status !== undefined)
      throw new HttpError(status, `This is the requested fault ${status}`, '', headers)
    await next()
    if (loseResponse) (c.env as { outgoing?: ServerResponse }).outgoing?.destroy()
  }
  return {
    fail,
    set(faults: ApiFaults = {}): void {
      path = faults.path ?? ''
      nextFaults = limitFaults(faults, faults.times)
    },
  }
}
