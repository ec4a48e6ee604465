import type { KindSchemas, NoKinds, SchemaMap } from '../events/kind-schemas.ts'
import { parseEvent } from '../events/parse-event.ts'
import { readEnvelope } from '../events/read-envelope.ts'
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
  const envelope = readEnvelope(signed.rawBody)
  const event = parseEvent(envelope, schemas) as WebhookEvent<Kinds>
  return { event, context: new WebhookContext(signed, envelope.kind, attempt) }
}
