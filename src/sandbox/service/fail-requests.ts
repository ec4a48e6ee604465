import type { ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import type { SandboxCore } from '../delivery/dispatcher.ts'
import { HttpError } from '../http-error.ts'

export function failRequests({ faults, dispatcher }: SandboxCore): MiddlewareHandler {
  return async (c, next) => {
    if (!c.req.path.startsWith(faults.current.api?.path ?? '')) return await next()
    const { status, retryAfterSeconds, delayMs = 0, loseResponse } = faults.nextOfRequest()
    await dispatcher.closing.pause(delayMs)
    const after = retryAfterSeconds ?? (status === 429 ? 1 : undefined)
    const headers = after === undefined ? {} : { 'retry-after': String(after) }
    if (status !== undefined)
      throw new HttpError(status, `This is the requested fault ${status}`, '', headers)
    await next()
    if (loseResponse) (c.env as { outgoing?: ServerResponse }).outgoing?.destroy()
  }
}
