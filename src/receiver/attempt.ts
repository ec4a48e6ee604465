import type { NoKinds } from '../events/kind-schemas.ts'
import type { WebhookEvent } from '../events/webhook-event.ts'
import {
  abortContext,
  type ReceivedNotification,
  throwIfAborted,
  type Webhook,
  WebhookContext,
} from '../notification/open-notification.ts'
import type { Handlers } from './handlers.ts'
import { fieldsOf, type Hooks } from './hooks.ts'
import type { InboxDelivery } from './receiver-inbox.ts'
import type { CurrentOption } from './receiver-options.ts'
import { inTransaction, type TransactionOption } from './transaction.ts'

/** Far longer than a healthy call takes. Nobody waits for a reply. */
const DEFAULT_LIMIT_MS = 300_000

const ALREADY_HANDLED =
  'the handlers of a notification were skipped, as an earlier attempt has committed what they wrote: its key was claimed'

/** What an attempt needs. The last three are options of the receiver. */
export interface AttemptParts {
  /** Parses a notification; throws a `PayloadError` if its body is invalid. */
  readonly open: (received: ReceivedNotification, attempt: number) => Webhook
  readonly handlers: Handlers
  readonly hooks: Hooks
  /**
   * When to abort the context's signal, by default after five minutes. The attempt still lasts until the handlers
   * have ended, so that no second attempt runs at the same time.
   */
  readonly handlerTimeoutMs: number | undefined
  readonly current: CurrentOption<NoKinds, unknown> | undefined
  readonly transaction: TransactionOption<unknown> | undefined
}

/** Creates what handles a delivery of an inbox, once. Rejects if that failed. */
export function createAttempt(
  parts: AttemptParts,
): (webhook: Webhook, delivery: InboxDelivery) => Promise<void> {
  const { open, handlers, hooks, handlerTimeoutMs: limitMs, current, transaction } = parts
  const inTime = (context: WebhookContext, { signal }: InboxDelivery, run: () => unknown) =>
    runInTime(context, signal, limitMs ?? DEFAULT_LIMIT_MS, run)
  const runHandlers = ({ event, context }: Webhook, delivery: InboxDelivery) =>
    inTime(context, delivery, () => handlers.run(event, context))

  async function runInTransaction(
    option: TransactionOption<unknown>,
    { event: parsed, context }: Webhook,
    delivery: InboxDelivery,
  ): Promise<void> {
    const { kind, attempt } = context
    let unused: WebhookEvent | undefined = parsed
    await inTransaction(option, limitMs, delivery, {
      open(tx) {
        const event = unused ?? open(delivery, attempt).event
        unused = undefined
        const own = new WebhookContext(delivery, kind, attempt, tx as undefined)
        if (current !== undefined) Object.assign(own, { current: context.current })
        return { event, context: own }
      },
      handle: (webhook) => runHandlers(webhook, delivery),
      skip: () =>
        hooks.warn('already_handled', ALREADY_HANDLED, { ...fieldsOf(kind, delivery), entryId: delivery.id }),
    })
  }

  return async (webhook, delivery) => {
    const { event, context } = webhook
    const report = handlers.reportOf(webhook)
    // Without handlers there is nothing to read or to commit.
    if (handlers.isHandled(event)) {
      if (current !== undefined) {
        const value = await inTime(context, delivery, () => current(event, context))
        throwIfAborted(context)
        Object.assign(context, { current: value })
      }
      if (transaction === undefined) await runHandlers(webhook, delivery)
      else await runInTransaction(transaction, webhook, delivery)
    }
    await report?.()
  }
}

/** Runs a function whose context is aborted if it takes too long, or if `stop()` no longer waits. */
async function runInTime(
  context: WebhookContext,
  signal: AbortSignal,
  limitMs: number,
  run: () => unknown,
): Promise<unknown> {
  const stopped = () => abortContext(context, signal.reason)
  const timer = setTimeout(() => abortContext(context, outOfTime(limitMs)), limitMs)
  signal.addEventListener('abort', stopped)
  try {
    return await run()
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stopped)
  }
}

export function outOfTime(limitMs: number): Error {
  return new Error(`The handlers took longer than ${limitMs} ms ("handlerTimeoutMs").`)
}
