import type { SignedNotification } from '../notification/signed-notification.ts'

/**
 * What a receiver hands over always passes. What comes from elsewhere must not, when it is wrong, spoil the
 * transaction that it shares with others.
 *
 * @throws TypeError for a notification that cannot be stored
 */
export function checkNotification(notification: SignedNotification): SignedNotification {
  const { deliveryId, clientId, receivedAt, rawBody } = notification
  if (typeof deliveryId !== 'string' || !/^[0-9a-f]{64}$/.test(deliveryId)) {
    throw new TypeError('"deliveryId" must be a signature: 64 lowercase hex digits')
  }
  if (typeof clientId !== 'string') throw new TypeError('"clientId" must be a string')
  if (!(receivedAt instanceof Date) || Number.isNaN(receivedAt.getTime())) {
    throw new TypeError('"receivedAt" must be a valid Date')
  }
  // instanceof alone lets through what only looks like one.
  if (!(ArrayBuffer.isView(rawBody) && rawBody instanceof Uint8Array))
    throw new TypeError('"rawBody" must be the bytes, as a Uint8Array')
  return notification
}
