import type { SignedNotification } from '../src/index.ts'
import { clientId, notification, paymentId } from './notification.ts'

/**
 * Makes notifications that are all different, and costs next to nothing: one number in body and delivery id
 * changes.
 */
export type NotificationSource = () => SignedNotification

const FIRST = 1_000_000_000
const template = Buffer.from(notification.toString().replace(paymentId, String(FIRST)))
const place = template.indexOf(String(FIRST))

/** @param start no other source of one measurement may start within the range that this one gets to */
export function createNotificationSource(start = 0): NotificationSource {
  let next = FIRST + start
  return () => {
    const number = next++
    const rawBody = Buffer.from(template)
    rawBody.write(String(number), place, 'latin1')
    return { deliveryId: toDeliveryId(number), clientId, receivedAt: new Date(), rawBody }
  }
}

/** 64 hex digits as scattered as those of a signature, which an index would feel. */
function toDeliveryId(number: number): string {
  const scattered = Math.imul(number, 0x9e3779b1) >>> 0
  return scattered.toString(16).padStart(8, '0') + number.toString(16).padStart(56, 'c')
}
