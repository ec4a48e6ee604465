import type { KindSchemas, NoKinds, SchemaMap } from '../events/kind-schemas.ts'
import { kindOfEvent, parseEvent } from '../events/parse-event.ts'
import type { WebhookEvent } from '../events/webhook-event.ts'
import type { SignedNotification } from './signed-notification.ts'

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

/** The context of a delivery, passed to every handler as its second argument. */
export class WebhookContext {
  /**
   * The signature: 64 hex digits. The service sends no id. The signature names a body, not a delivery: equal
   * bodies have equal signatures.
   */
  readonly signature: string
  /** The `type` as sent, even if the event is UNRECOGNIZED. */
  readonly kind: string
  /** The client id the notification is signed with. */
  readonly clientId: string
  /** When the request arrived. */
  readonly receivedAt: Date
  /**
   * The number of this attempt to handle the notification, from 1. The attempts of the service are not counted,
   * since it does not number them.
   */
  readonly attempt: number
  /** The exact bytes that arrived. */
  readonly rawBody: Uint8Array

  constructor(
    { signature, clientId, receivedAt, rawBody }: SignedNotification,
    kind: string,
    attempt: number,
  ) {
    this.signature = signature
    this.kind = kind
    this.clientId = clientId
    this.receivedAt = receivedAt
    this.attempt = attempt
    this.rawBody = rawBody
  }

  /**
   * Aborted when the handlers exceed their time limit, or when `stop()` no longer waits for them. Pass it to
   * `fetch` and to your database. It is created on first use, so `{ ...context }` does not copy it.
   */
  get signal(): AbortSignal {
    return controllerOf(this).signal
  }
}

const controllers = new WeakMap<WebhookContext, AbortController>()

/** Aborts the signal of a context. */
export function abortContext(context: WebhookContext, reason: Error): void {
  controllerOf(context).abort(reason)
}

/** Throws the reason if the signal of a context is aborted. */
export function throwIfAborted(context: WebhookContext): void {
  controllers.get(context)?.signal.throwIfAborted()
}

function controllerOf(context: WebhookContext): AbortController {
  const known = controllers.get(context)
  if (known !== undefined) return known
  const made = new AbortController()
  controllers.set(context, made)
  return made
}
