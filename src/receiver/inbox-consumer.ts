import { type ErrorCode, HandlingError, InboxError } from '../errors.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import type { Webhook } from '../notification/open-notification.ts'
import { type AttemptParts, createAttempt } from './attempt.ts'
import { isDeferral, isNever, toInboxFailure } from './deferral.ts'
import { fieldsOf, type Hooks, shortened } from './hooks.ts'
import type { InboxConsumer, InboxDelivery } from './receiver-inbox.ts'

/** What trying again does not mend. */
const MISCONFIGURED: readonly ErrorCode[] = ['inbox_misconfigured', 'inbox_too_new']

export interface ConsumerParts extends AttemptParts {
  readonly now: () => number
}

/** Creates the consumer of an inbox. */
export function createInboxConsumer(parts: ConsumerParts): InboxConsumer {
  const { open, handlers, hooks, now } = parts
  const attempt = createAttempt(parts)

  /** @param kind as sent: handlers may have changed the context */
  function report(
    cause: unknown,
    delivery: Omit<InboxDelivery, 'signal'>,
    webhook?: Webhook,
    kind = webhook?.context.kind,
  ): void {
    const { id: entryId, attempt, retryDelayMs } = delivery
    const next =
      retryDelayMs === undefined || isNever(cause)
        ? {}
        : { nextAttemptAt: new Date(Date.now() + retryDelayMs).toISOString() }
    const message = `Attempt ${attempt} at handling the notification failed.`
    const error = new HandlingError(webhook ? 'handler_failed' : 'receiver_failed', message, { cause })
    const fields = kind !== undefined && fieldsOf(kind, delivery)
    void hooks.reportError(error, webhook, { ...fields, attempt, entryId, ...next })
  }

  return {
    async handle(delivery) {
      let webhook: Webhook | undefined
      let kind: string | undefined
      try {
        const opened = open(delivery, delivery.attempt)
        handlers.assertFits(opened.event)
        webhook = opened
        kind = webhook.context.kind
        return (await attempt(webhook, delivery)) ? undefined : 'unhandled'
      } catch (cause) {
        if (webhook === undefined && isPayhookError(cause)) throw cause
        const failure = toInboxFailure(cause, delivery.receivedAt, now())
        // An attempt that stop() cut off has not failed: it is repeated. The report is not awaited, since the
        // outcome must be stored even if a hook hangs.
        if (!delivery.signal.aborted && !isDeferral(failure)) report(cause, delivery, webhook, kind)
        throw failure
      }
    },
    dead: hooks.reportDead,
    failed(cause, delivery) {
      if (delivery === undefined) {
        void hooks.reportError(toInboxError('The inbox cannot deliver notifications.', cause))
      } else {
        report(cause, delivery, open(delivery, delivery.attempt))
      }
    },
    abandoned: (delivery, ms) => warnAbandoned(hooks, delivery, Math.round(ms)),
  }
}

function warnAbandoned(
  hooks: Hooks,
  { id: entryId, subject, signature, attempt }: Omit<InboxDelivery, 'signal'>,
  ranForMs: number,
): void {
  hooks.warn(
    'handler_abandoned',
    `stop() no longer waits for the handlers of a notification: after ${ranForMs} ms they ignore the aborted signal. They will be called again.`,
    { entryId, subject, signature: shortened(signature), attempt, ranForMs },
  )
}

export function toInboxError(message: string, cause: unknown): InboxError {
  const isMisconfigured = isPayhookError(cause) && MISCONFIGURED.includes(cause.code)
  return new InboxError(isMisconfigured ? 'inbox_misconfigured' : 'inbox_unavailable', message, { cause })
}
