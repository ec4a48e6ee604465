import { floor } from './contestants/floor.ts'
import { createNotificationSource } from './distinct-notifications.ts'
import type { ServerMeasurement } from './measure-servers.ts'
import { writeRequest } from './to-request-bytes.ts'

/** More than any of the servers answers. */
const REQUESTS_A_SECOND = 70_000

/**
 * Makes requests that are all different: a notification that an inbox knows is a duplicate, and costs it
 * little. Signing takes time, so it is done before.
 */
export function createRequestSource(): NonNullable<ServerMeasurement['requestsFor']> {
  const next = createNotificationSource()

  function createRequest(): Buffer {
    const rawBody = Buffer.from(next().rawBody)
    return writeRequest(floor.sign(rawBody), rawBody)
  }

  return async (_contestant, milliseconds) => {
    const count = Math.round((REQUESTS_A_SECOND * milliseconds) / 1000)
    const requests = Array.from({ length: count }, createRequest)
    return () => requests.pop() ?? createRequest()
  }
}
