import type { KindSchemas, NoKinds, SchemaMap } from '../events/kind-schemas.ts'
import { kindOfEvent, parseEvent } from '../events/parse-event.ts'
import type { WebhookEvent } from '../events/webhook-event.ts'
import type { NotificationSource, SignedNotification } from './signed-notification.ts'

/** A signed notification whose subject is known, with its entry id if it comes from an inbox. */
export interface ReceivedNotification extends SignedNotification {
  readonly subject: string | null
  readonly idempotencyKey?: string
}

/** A verified notification: the event and the context of its delivery. */
export interface Webhook<Kinds extends KindSchemas = NoKinds, Tx = undefined, Current = undefined> {
  readonly event: WebhookEvent<Kinds>
  readonly context: WebhookContext<Tx, Current>
}

/** @throws PayloadError if its body is not a notification; TypeError if its schema is asynchronous */
export function openNotification<Kinds extends KindSchemas>(
  received: ReceivedNotification,
  attempt: number,
  schemas: SchemaMap,
): Webhook<Kinds> {
  const event = parseEvent(received.rawBody, schemas)
  const context = new WebhookContext(received, kindOfEvent(event), attempt, undefined)
  return { event: event as WebhookEvent<Kinds>, context }
}

/** The context of a delivery, passed to every handler as its second argument. */
export class WebhookContext<Tx = undefined, Current = undefined> {
  /**
   * The signature: 64 hex digits. The service sends no id. The signature names a body, not a delivery: equal
   * bodies have equal signatures.
   */
  readonly signature: string
  /** The `type` as sent, even if the event is UNRECOGNIZED. */
  readonly kind: string
  /** What it is about, such as `payment:48121`; `null` if its kind is unknown or it has no id. */
  readonly subject: string | null
  /** The client id the notification is signed with. */
  readonly clientId: string
  /** When the request arrived. */
  readonly receivedAt: Date
  /**
   * The number of this attempt to handle the notification, from 1. The attempts of the service are not counted,
   * since it does not number them.
   */
  readonly attempt: number
  /** The id of the entry in the inbox; `undefined` without an inbox. */
  readonly entryId: string | undefined
  /**
   * Names this notification: the same for every attempt, and after the replay of an entry that was not handled.
   * The replay of a handled one has a new one. With the `idempotencyKey` option, it is what that returns.
   * `undefined` without an inbox.
   *
   * Several notifications may find a payment complete. So what is done once for a payment needs an
   * `Idempotency-Key` that names it, such as `ship:48121`.
   */
  readonly idempotencyKey: string | undefined
  /** Whether the service sent it, or `reconcile` found it. */
  readonly source: NotificationSource
  /**
   * What the `transaction` option passes to `run`, such as the transaction of your database library. It ends
   * with the handlers. `undefined` without the option, and in hooks.
   */
  readonly tx: Tx
  /** What the `current` option resolved to in this attempt; `undefined` without the option. */
  declare readonly current: Current
  /** The exact bytes that arrived. */
  readonly rawBody: Uint8Array

  constructor(received: ReceivedNotification, kind: string, attempt: number, tx: Tx) {
    this.signature = received.signature
    this.kind = kind
    this.subject = received.subject
    this.clientId = received.clientId
    this.receivedAt = received.receivedAt
    this.attempt = attempt
    this.entryId = received.id
    this.idempotencyKey = received.idempotencyKey
    this.source = received.source ?? 'service'
    this.tx = tx
    this.rawBody = received.rawBody
  }

  /**
   * Aborted when the handlers exceed their time limit, or when `stop()` no longer waits for them. Pass it to
   * `fetch` and to your database. It is created on first use, so `{ ...context }` does not copy it.
   */
  get signal(): AbortSignal {
    return controllerOf(this).signal
  }
}

type AnyContext = WebhookContext<unknown, unknown>

const controllers = new WeakMap<AnyContext, AbortController>()

export function abortContext(context: AnyContext, reason: Error): void {
  controllerOf(context).abort(reason)
}

export function throwIfAborted(context: AnyContext): void {
  controllers.get(context)?.signal.throwIfAborted()
}

function controllerOf(context: AnyContext): AbortController {
  const known = controllers.get(context)
  if (known !== undefined) return known
  const made = new AbortController()
  controllers.set(context, made)
  return made
}
