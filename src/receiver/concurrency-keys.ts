import { isSubject } from '../events/subject.ts'
import type { WebhookEvent } from '../events/webhook-event.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import type { ReceivedNotification, Webhook } from '../notification/open-notification.ts'
import { type Hooks, shortened } from './hooks.ts'
import { toPlainError } from './logger.ts'

/**
 * Gives notifications the key of the `concurrencyKey` option. A notification must not be lost because the
 * option fails: that is logged, and the key stays the subject.
 *
 * @param open parses a notification; throws a `PayloadError` if its body is invalid
 */
export function createConcurrencyKeys(
  concurrencyKey: (event: WebhookEvent) => unknown,
  open: (received: ReceivedNotification) => Webhook,
  hooks: Hooks,
): (received: ReceivedNotification) => ReceivedNotification {
  function keyOf({ event }: Webhook): string | null {
    const key = concurrencyKey(event)
    if (key === null || isSubject(key)) return key
    // An async function may reject, which would end the process.
    Promise.resolve(key).catch(() => {})
    throw new TypeError('it must return null, or 1 to 200 characters without NUL and lone surrogates')
  }

  return (received) => {
    let webhook: Webhook | undefined
    try {
      webhook = open(received)
      return { ...received, concurrencyKey: keyOf(webhook) }
    } catch (error) {
      // The inbox gives up on it and says so.
      if (webhook === undefined && isPayhookError(error)) return received
      hooks.warn(
        'concurrency_key_invalid',
        'the "concurrencyKey" option failed, so the key of a notification is its subject',
        { signature: shortened(received.signature), error: toPlainError(error) },
      )
      return received
    }
  }
}
