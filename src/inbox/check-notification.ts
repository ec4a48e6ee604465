import type { SignedNotification } from '../notification/signed-notification.ts'

/**
 * A notification from a receiver always passes. One that an application stores itself may be invalid, and
 * would fail the other puts in its transaction.
 *
 * @throws TypeError if the notification cannot be stored
 */
export function checkNotification(notification: SignedNotification): SignedNotification {
  const { signature, clientId, receivedAt, rawBody } = notification
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) {
    throw new TypeError('"signature" must be 64 lowercase hex digits')
  }
  // PostgreSQL cannot store these.
  if (typeof clientId !== 'string' || !clientId.isWellFormed() || clientId.includes('\0'))
    throw new TypeError('"clientId" must be a string without NUL characters and lone surrogates')
  if (!(receivedAt instanceof Date) || Number.isNaN(receivedAt.getTime())) {
    throw new TypeError('"receivedAt" must be a valid Date')
  }
  // instanceof alone accepts Object.create(Uint8Array.prototype).
  if (!(ArrayBuffer.isView(rawBody) && rawBody instanceof Uint8Array))
    throw new TypeError('"rawBody" must be a Uint8Array: the exact bytes that arrived')
  return notification
}
