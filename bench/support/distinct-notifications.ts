import type { SignedNotification } from '../../src/index.ts'
import { clientId, notification, paymentId } from './notification.ts'

/**
 * Creates distinct notifications at almost no cost: only a number in the body, and the subject and the
 * signature with it, changes.
 */
export type NotificationSource = () => SignedNotification

const FIRST = 1_000_000_000
const template = Buffer.from(notification.toString().replace(paymentId, String(FIRST)))
const place = template.indexOf(String(FIRST))

/**
 * @param start the first number. The ranges of two sources in one measurement must not overlap.
 * @param subject of all of them, instead of one each
 */
export function createNotificationSource(start = 0, subject?: string): NotificationSource {
  let next = FIRST + start
  return () => {
    const number = next++
    const rawBody = Buffer.from(template)
    rawBody.write(String(number), place, 'latin1')
    return {
      signature: toSignature(number),
      clientId,
      receivedAt: new Date(),
      rawBody,
      subject: subject ?? `payment:${number}`,
    }
  }
}

/** 64 hex digits that are as random as a signature, which matters to an index. */
function toSignature(number: number): string {
  const scattered = Math.imul(number, 0x9e3779b1) >>> 0
  return scattered.toString(16).padStart(8, '0') + number.toString(16).padStart(56, 'c')
}
