import type { SignedNotification } from './signed-notification.ts'

const controllers = new WeakMap<WebhookContext, AbortController>()

/** The circumstances of a delivery, handed to every handler beside the event. */
export class WebhookContext {
  /**
   * What names this delivery: its signature. The service sends no id, and the signature is the fingerprint of
   * the exact body; a repeated attempt has the same one.
   */
  readonly deliveryId: string
  /** `type` as it stands on the wire, also of an event that is UNRECOGNIZED. */
  readonly kind: string
  /** The client id that the notification is signed with. */
  readonly clientId: string
  /** When the request arrived. */
  readonly receivedAt: Date
  /**
   * Which attempt of payhook's at handling this is, from 1; which of the service's it is, the service does not
   * say.
   */
  readonly attempt: number
  /** The exact bytes that arrived. */
  readonly rawBody: Uint8Array

  constructor(
    { deliveryId, clientId, receivedAt, rawBody }: SignedNotification,
    kind: string,
    attempt: number,
  ) {
    this.deliveryId = deliveryId
    this.kind = kind
    this.clientId = clientId
    this.receivedAt = receivedAt
    this.attempt = attempt
    this.rawBody = rawBody
  }

  /**
   * Aborted when the handlers or `stop()` have run out of time; hand it on to `fetch` and the like. It is made
   * when it is asked for, as few handlers do and it costs the most, and so is not copied by `{ ...context }`.
   */
  get signal(): AbortSignal {
    return controllerOf(this).signal
  }
}

/** Aborts the signal of a context. */
export function abortContext(context: WebhookContext, reason: Error): void {
  controllerOf(context).abort(reason)
}

/** Throws the reason when the signal of a context is aborted. */
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
