import { createNotificationSource, type NotificationSource } from '../support/distinct-notifications.ts'
import { floor } from '../verify/contestants/floor.ts'
import type { ServerMeasurement } from './measure-servers.ts'
import { writeRequest } from './to-request-bytes.ts'

/** More than any server can process. */
const REQUESTS_A_SECOND = 70_000

/**
 * Creates distinct requests, as duplicates cost an inbox little. They are signed in advance, as signing takes
 * time.
 */
export function createRequestSource(): NonNullable<ServerMeasurement['requestsFor']> {
  const createRequest = toRequests(createNotificationSource())

  return async (_contestant, milliseconds) => {
    const count = Math.round((REQUESTS_A_SECOND * milliseconds) / 1000)
    const requests = Array.from({ length: count }, createRequest)
    return () => requests.pop() ?? createRequest()
  }
}

/** Creates the request of each notification when it is sent. */
export function toRequests(next: NotificationSource): () => Buffer {
  return () => {
    const rawBody = Buffer.from(next().rawBody)
    return writeRequest(floor.sign(rawBody), rawBody)
  }
}
