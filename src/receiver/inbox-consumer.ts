import { type ErrorCode, HandlingError, InboxError } from '../errors.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import {
  abortContext,
  type ReceivedNotification,
  type Webhook,
  WebhookContext,
} from '../notification/open-notification.ts'
import type { Handlers } from './handlers.ts'
import { fieldsOf, type Hooks, shortened } from './hooks.ts'
import type { LogFields } from './logger.ts'
import type { InboxConsumer, InboxDelivery } from './receiver-inbox.ts'
import { inTransaction, type TransactionOption } from './transaction.ts'

/** Far longer than a healthy call takes. Nobody waits for a reply. */
const DEFAULT_LIMIT_MS = 300_000

/** What trying again does not mend. */
const MISCONFIGURED: readonly ErrorCode[] = ['inbox_misconfigured', 'inbox_too_new']

const ALREADY_HANDLED =
  'the handlers of a notification were skipped, as an earlier attempt has committed what they wrote: its key was claimed'

/**
 * Creates the consumer of an inbox.
 *
 * @param open parses a notification; throws a `PayloadError` if its body is invalid
 * @param limitMs when to abort the context's signal, by default after five minutes. The attempt still lasts until
 *   the handlers have ended, so that no second attempt runs at the same time.
 * @param transaction what runs the handlers in a transaction, if they do
 */
export function createInboxConsumer(
  open: (received: ReceivedNotification, attempt: number) => Webhook,
  handlers: Handlers,
  hooks: Hooks,
  limitMs: number | undefined,
  transaction: TransactionOption<unknown> | undefined,
): InboxConsumer {
  const runHandlers = (webhook: Webhook, signal: AbortSignal) =>
    runInTime(handlers, webhook, signal, limitMs ?? DEFAULT_LIMIT_MS)

  async function attempt(webhook: Webhook, delivery: InboxDelivery): Promise<void> {
    const { kind } = webhook.context
    const report = handlers.reportOf(webhook)
    let unused: Webhook | undefined = webhook
    // Without handlers there is nothing to commit.
    if (transaction === undefined || !handlers.isHandled(webhook.event))
      await runHandlers(webhook, delivery.signal)
    else {
      await inTransaction(transaction, limitMs, delivery, {
        open(tx) {
          const { event } = unused ?? open(delivery, delivery.attempt)
          unused = undefined
          return { event, context: new WebhookContext(delivery, kind, delivery.attempt, tx as undefined) }
        },
        handle: (opened) => runHandlers(opened, delivery.signal),
        skip: () =>
          hooks.warn('already_handled', ALREADY_HANDLED, {
            ...fieldsOf(kind, delivery),
            entryId: delivery.id,
          }),
      })
    }
    await report?.()
  }

  function report(
    cause: unknown,
    { id: entryId, attempt, retryDelayMs }: Omit<InboxDelivery, 'signal'>,
    webhook?: Webhook,
    fields?: LogFields,
  ): void {
    const isLast = retryDelayMs === undefined
    const next = isLast ? {} : { nextAttemptAt: new Date(Date.now() + retryDelayMs).toISOString() }
    const message = `Attempt ${attempt} at handling the notification failed.`
    const error = new HandlingError(webhook ? 'handler_failed' : 'receiver_failed', message, { cause })
    void hooks.reportError(error, webhook, { ...fields, attempt, entryId, ...next })
  }

  return {
    async handle(delivery) {
      let webhook: Webhook | undefined
      let fields: LogFields | undefined
      try {
        const opened = open(delivery, delivery.attempt)
        handlers.assertFits(opened.event)
        webhook = opened
        fields = fieldsOf(webhook.context.kind, delivery)
        await attempt(webhook, delivery)
      } catch (cause) {
        if (webhook === undefined && isPayhookError(cause)) throw cause
        // An attempt that stop() cut off has not failed: it is repeated. The report is not awaited, since the
        // outcome must be stored even if a hook hangs.
        if (!delivery.signal.aborted) report(cause, delivery, webhook, fields)
        // A PayloadError that a handler throws is not about this notification.
        throw isPayhookError(cause) ? new Error(String(cause), { cause }) : cause
      }
    },
    dead: hooks.reportDead,
    failed(cause, delivery) {
      if (delivery === undefined) {
        void hooks.reportError(toInboxError('The inbox cannot deliver notifications.', cause))
      } else {
        const webhook = open(delivery, delivery.attempt)
        report(cause, delivery, webhook, fieldsOf(webhook.context.kind, delivery))
      }
    },
    abandoned: (delivery, ms) => warnAbandoned(hooks, delivery, Math.round(ms)),
  }
}

/** Runs the handlers. They get an aborted signal if they take too long, or if `stop()` no longer waits. */
async function runInTime(
  handlers: Handlers,
  { event, context }: Webhook,
  signal: AbortSignal,
  limitMs: number,
): Promise<void> {
  const stopped = () => abortContext(context, signal.reason)
  const timer = setTimeout(() => abortContext(context, outOfTime(limitMs)), limitMs)
  signal.addEventListener('abort', stopped)
  try {
    await handlers.run(event, context)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stopped)
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

export function outOfTime(limitMs: number): Error {
  return new Error(`The handlers took longer than ${limitMs} ms ("handlerTimeoutMs").`)
}
