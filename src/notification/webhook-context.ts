import type { SignedNotification } from './signed-notification.ts'

const controllers = new WeakMap<WebhookContext, AbortController>()

/** The context of a delivery, the second argument of every handler. */
export class WebhookContext {
  /**
   * Identifies the delivery: its signature. The service sends no id, and the signature is a fingerprint of the
   * exact body. A repeated attempt has the same one.
   */
  readonly deliveryId: string
  /** `type` as sent, even if the event is UNRECOGNIZED. */
  readonly kind: string
  /** The client id the notification is signed with. */
  readonly clientId: string
  /** When the request arrived. */
  readonly receivedAt: Date
  /**
   * The number of payhook's attempt at handling this, from 1. The service does not send the number of its own
   * attempt.
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
   * Aborted when the handlers exceed their time limit, or `stop()` its own. Pass it to `fetch` and the like. It
   * is created on first use, so `{ ...context }` does not copy it.
   */
  get signal(): AbortSignal {
    return controllerOf(this).signal
  }
}

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
