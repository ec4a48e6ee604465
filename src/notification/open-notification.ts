import type { KindSchemas, NoKinds, SchemaMap } from '../events/kind-schemas.ts'
import { kindOfEvent, parseEvent } from '../events/parse-event.ts'
import type { WebhookEvent } from '../events/webhook-event.ts'
import type { SignedNotification } from './signed-notification.ts'
import { WebhookContext } from './webhook-context.ts'

/** A verified notification: the event and the context of its delivery. */
export interface Webhook<Kinds extends KindSchemas = NoKinds> {
  readonly event: WebhookEvent<Kinds>
  readonly context: WebhookContext
}

/**
 * Parses a notification whose signature has been verified.
 *
 * @throws PayloadError if its body is not a notification
 * @throws TypeError if the schema of its kind is asynchronous
 */
export function openNotification<Kinds extends KindSchemas>(
  signed: SignedNotification,
  attempt: number,
  schemas: SchemaMap,
): Webhook<Kinds> {
  const event = parseEvent(signed.rawBody, schemas)
  const context = new WebhookContext(signed, kindOfEvent(event), attempt)
  return { event: event as WebhookEvent<Kinds>, context }
}
