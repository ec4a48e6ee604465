import { HandlingError, InboxError } from '../errors.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { abortContext, type Webhook } from '../notification/open-notification.ts'
import type { SignedNotification } from '../notification/signed-notification.ts'
import type { Handlers } from './handlers.ts'
import { fieldsOf, type Hooks } from './hooks.ts'
import type { LogFields } from './logger.ts'
import type { InboxConsumer, InboxDelivery } from './receiver-inbox.ts'
import { inTransaction, type TransactionOption } from './transaction.ts'

const ALREADY_HANDLED =
  'the handlers of a notification were skipped, as an earlier attempt has committed what they wrote: its key was claimed'

/**
 * Creates the consumer of an inbox.
 *
 * @param open parses a notification; throws a `PayloadError` if its body is invalid
 * @param limitMs when to abort the context's signal. The attempt still lasts until the handlers have ended, so
 *   that no second attempt runs at the same time.
 * @param transaction what runs the handlers in a transaction, if they do
 */
export function createInboxConsumer(
  open: (signed: SignedNotification, attempt: number, tx?: undefined) => Webhook,
  handlers: Handlers,
  hooks: Hooks,
  limitMs: number | undefined,
  transaction: TransactionOption<unknown> | undefined,
): InboxConsumer {
  async function attempt(webhook: Webhook, delivery: InboxDelivery): Promise<void> {
    const report = handlers.reportOf(webhook)
    // Without handlers there is nothing to commit.
    if (transaction === undefined || !handlers.has(webhook.event)) await runHandlers(webhook, delivery)
    else {
      await inTransaction(transaction, limitMs, delivery, {
        open: (tx) => open(delivery, delivery.attempt, tx as undefined),
        handle: (opened) => runHandlers(opened, delivery),
        skip: () =>
          hooks.warn('already_handled', ALREADY_HANDLED, { ...fieldsOf(webhook), entryId: delivery.id }),
      })
    }
    await report?.()
  }

  async function runHandlers({ event, context }: Webhook, { signal }: InboxDelivery): Promise<void> {
    const stopped = () => abortContext(context, signal.reason)
    const timer =
      limitMs === undefined ? undefined : setTimeout(() => abortContext(context, outOfTime(limitMs)), limitMs)
    signal.addEventListener('abort', stopped)
    try {
      await handlers.run(event, context)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stopped)
    }
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
    const error = new HandlingError('handler_failed', message, { cause })
    void hooks.reportError(error, webhook, { ...fields, attempt, entryId, ...next })
  }

  return {
    async handle(delivery) {
      let webhook: Webhook | undefined
      let fields: LogFields | undefined
      try {
        webhook = open(delivery, delivery.attempt)
        fields = fieldsOf(webhook)
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
        void hooks.reportError(
          new InboxError('inbox_unavailable', 'The inbox cannot deliver notifications.', { cause }),
        )
      } else {
        const webhook = open(delivery, delivery.attempt)
        report(cause, delivery, webhook, fieldsOf(webhook))
      }
    },
  }
}

export function outOfTime(limitMs: number): Error {
  return new Error(`The handlers took longer than ${limitMs} ms ("handlerTimeoutMs").`)
}
