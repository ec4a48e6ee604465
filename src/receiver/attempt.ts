import type { NoKinds } from '../events/kind-schemas.ts'
import { checkKey } from '../events/subject.ts'
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
import type { CurrentOption, IdempotencyKeyOption } from './receiver-options.ts'
import { inTransaction, type TransactionOption } from './transaction.ts'

/** Far longer than a healthy call takes. Nobody waits for a reply. */
const DEFAULT_LIMIT_MS = 300_000

const FACT_HANDLED =
  'the handlers of a notification were skipped, as they have already run for another one with the same idempotency key'
const ALREADY_HANDLED =
  'the handlers of a notification were skipped, as an earlier attempt has committed what they wrote: its key was claimed'

/** What an attempt needs. The last four are options of the receiver. */
export interface AttemptParts {
  /** Parses a notification; throws a `PayloadError` if its body is invalid. */
  readonly open: (received: ReceivedNotification, attempt: number) => Webhook
  readonly handlers: Handlers
  readonly hooks: Hooks
  /**
   * When to abort the context's signal, by default after five minutes. The attempt still lasts until the
   * handlers have ended, so that no second attempt runs at the same time.
   */
  readonly handlerTimeoutMs: number | undefined
  readonly current: CurrentOption<NoKinds, unknown> | undefined
  readonly idempotencyKey: IdempotencyKeyOption<NoKinds, unknown> | undefined
  readonly transaction: TransactionOption<unknown> | undefined
}

/**
 * Creates what handles a delivery of an inbox, once. Resolves to whether there are handlers; rejects if they
 * failed.
 */
export function createAttempt(
  parts: AttemptParts,
): (webhook: Webhook, delivery: InboxDelivery) => Promise<boolean> {
  const { open, handlers, hooks, handlerTimeoutMs: limitMs, current, idempotencyKey, transaction } = parts
  const inTime = (context: WebhookContext, { signal }: InboxDelivery, run: () => unknown) =>
    runInTime(context, signal, limitMs ?? DEFAULT_LIMIT_MS, run)
  const runHandlers = ({ event, context }: Webhook, delivery: InboxDelivery) =>
    inTime(context, delivery, () => handlers.run(event, context))

  /** What the options say about a notification, for the contexts of its handlers. */
  async function read(
    { event, context }: Webhook,
    delivery: InboxDelivery,
  ): Promise<Partial<WebhookContext>> {
    if (current !== undefined) {
      const value = await inTime(context, delivery, () => current(event, context))
      throwIfAborted(context)
      Object.assign(context, { current: value })
    }
    if (idempotencyKey === undefined || isWantedRepeat(delivery)) return { current: context.current }
    const key = checkKey('idempotencyKey', await idempotencyKey(event, context)) ?? delivery.idempotencyKey
    return { current: context.current, idempotencyKey: key }
  }

  async function runInTransaction(
    option: TransactionOption<unknown>,
    { event: parsed, context: { kind, attempt } }: Webhook,
    delivery: InboxDelivery,
    known: Partial<WebhookContext> | undefined,
  ): Promise<void> {
    let unused: WebhookEvent | undefined = parsed
    const { idempotencyKey: entryKey, signal } = delivery
    const key = known?.idempotencyKey ?? entryKey
    await inTransaction(option, limitMs, {
      ...{ key, entryKey, signal },
      open(tx) {
        const event = unused ?? open(delivery, attempt).event
        unused = undefined
        const context = new WebhookContext(delivery, kind, attempt, tx as undefined)
        return { event, context: Object.assign(context, known) }
      },
      handle: (webhook) => runHandlers(webhook, delivery),
      skip() {
        const fields = { ...fieldsOf(kind, delivery), entryId: delivery.id }
        if (key === entryKey) hooks.warn('already_handled', ALREADY_HANDLED, fields)
        else hooks.note(FACT_HANDLED, { code: 'fact_handled', ...fields, idempotencyKey: key })
      },
    })
  }

  return async (webhook, delivery) => {
    const report = handlers.reportOf(webhook)
    // Without handlers there is nothing to read or to commit.
    const isHandled = handlers.isHandled(webhook.event)
    if (isHandled) {
      const known = current || idempotencyKey ? await read(webhook, delivery) : undefined
      if (transaction !== undefined) await runInTransaction(transaction, webhook, delivery, known)
      else {
        Object.assign(webhook.context, known)
        await runHandlers(webhook, delivery)
      }
    }
    if (report !== undefined) await report()
    return isHandled
  }
}

/** The replay of a completed entry. */
function isWantedRepeat({ idempotencyKey }: InboxDelivery): boolean {
  return /:\d+$/.test(idempotencyKey)
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
