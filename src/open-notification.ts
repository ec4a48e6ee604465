import { parseEvent } from './events/parse-event.ts'
import type { WebhookEvent } from './events/webhook-event.ts'
import { readEnvelope } from './read-envelope.ts'
import type { SignedNotification } from './receiver-inbox.ts'
import { WebhookContext } from './webhook-context.ts'

/** A verified notification: the event, and the circumstances of its delivery. */
export interface Webhook {
  readonly event: WebhookEvent
  readonly context: WebhookContext
}

/**
 * Reads a notification whose signature has been verified.
 *
 * @throws PayloadError when its body is none
 */
export function openNotification(signed: SignedNotification, attempt: number): Webhook {
  const envelope = readEnvelope(signed.rawBody)
  return { event: parseEvent(envelope), context: new WebhookContext(signed, envelope.kind, attempt) }
}
