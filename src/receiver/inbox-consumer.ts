import { type ErrorCode, HandlingError, InboxError } from '../errors.ts'
import type { NoKinds } from '../events/kind-schemas.ts'
import { checkKey } from '../events/subject.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import {
  abortContext,
  type ReceivedNotification,
  throwIfAborted,
  type Webhook,
  WebhookContext,
} from '../notification/open-notification.ts'
import { isDeferral, isNever, toInboxFailure } from './deferral.ts'
import type { Handlers } from './handlers.ts'
import { fieldsOf, type Hooks, shortened } from './hooks.ts'
import type { InboxConsumer, InboxDelivery } from './receiver-inbox.ts'
import type { CurrentOption, IdempotencyKeyOption } from './receiver-options.ts'
import { type Tracing, traceProcess } from './tracing.ts'
import { inTransaction, type TransactionOption } from './transaction.ts'

/** Far longer than a healthy call takes. Nobody waits for a reply. */
const DEFAULT_LIMIT_MS = 300_000

const FACT_HANDLED =
  'the handlers of a notification were skipped, as they have already run for another one with the same idempotency key'
const ALREADY_HANDLED =
  'the handlers of a notification were skipped, as an earlier attempt has committed what they wrote: its key was claimed'

/** What a consumer needs. The last five are options of the receiver. */
export interface ConsumerParts {
  /** Parses a notification; throws a `PayloadError` if its body is invalid. */
  readonly open: (received: ReceivedNotification, attempt: number) => Webhook
  readonly handlers: Handlers
  readonly hooks: Hooks
  readonly tracing: Tracing
  readonly now: () => number
  /**
   * When to abort the context's signal, by default after five minutes. The attempt still lasts until the
   * handlers have ended, so that no second attempt runs at the same time.
   */
  readonly handlerTimeoutMs: number | undefined
  readonly current: CurrentOption<NoKinds, unknown> | undefined
  readonly idempotencyKey: IdempotencyKeyOption<NoKinds, unknown> | undefined
  readonly transaction: TransactionOption<unknown> | undefined
}

export function createInboxConsumer(parts: ConsumerParts): InboxConsumer {
  const { hooks, tracing } = parts
  return {
    handle: (delivery) =>
      tracing.isOn('process')
        ? traceProcess(tracing, delivery, delivery, () => handle(parts, delivery))
        : handle(parts, delivery),
    dead(notification) {
      tracing.dead(notification)
      return hooks.reportDead(notification)
    },
    failed: (cause) => void hooks.reportError(toInboxError('The inbox cannot deliver notifications.', cause)),
    abandoned({ id: entryId, subject, signature, attempt }, ms) {
      const ranForMs = Math.round(ms)
      hooks.warn(
        'handler_abandoned',
        `stop() no longer waits for the handlers of a notification: after ${ranForMs} ms they ignore the aborted signal. They will be called again.`,
        { entryId, subject, signature: shortened(signature), attempt, ranForMs },
      )
    },
  }
}

async function handle(parts: ConsumerParts, delivery: InboxDelivery): Promise<unknown> {
  const { open, handlers, hooks, now } = parts
  let webhook: Webhook | undefined
  let kind: string | undefined
  try {
    const opened = open(delivery, delivery.attempt)
    handlers.assertFits(opened.event)
    webhook = opened
    kind = webhook.context.kind
    const reportUnhandled = handlers.reportOf(webhook)
    // Without handlers there is nothing to read or to commit.
    const isHandled = handlers.isHandled(webhook.event)
    if (isHandled) await attempt(parts, webhook, delivery)
    await reportUnhandled?.()
    return isHandled ? undefined : 'unhandled'
  } catch (cause) {
    if (webhook === undefined && isPayhookError(cause)) throw cause
    const failure = toInboxFailure(cause, delivery.receivedAt, now())
    // An attempt that stop() cut off has not failed: it is repeated. The report is not awaited, since the
    // outcome must be stored even if a hook hangs.
    if (!delivery.signal.aborted && !isDeferral(failure)) report(hooks, cause, delivery, webhook, kind)
    throw failure
  }
}

async function attempt(parts: ConsumerParts, webhook: Webhook, delivery: InboxDelivery): Promise<void> {
  const { handlers, handlerTimeoutMs: limitMs, current, idempotencyKey, transaction } = parts
  const { event, context } = webhook
  const known: Known = {}
  let fact: string | undefined
  if (current !== undefined) {
    known.current = await runInTime(context, delivery, () => current(event, context), limitMs)
    throwIfAborted(context)
    Object.assign(context, known)
  }
  if (idempotencyKey !== undefined) {
    const key = checkKey('idempotencyKey', idempotencyKey(event, context))
    // The replay of what was handled repeats its effects: once, although several entries may be about one fact.
    const [replay = ''] = /:\d+$/.exec(delivery.idempotencyKey) ?? []
    if (key !== null) {
      fact = key
      known.idempotencyKey = `${key}${replay}`
    }
    Object.assign(context, known)
  }
  if (transaction !== undefined)
    await attemptInTransaction(parts, transaction, webhook, delivery, known, fact)
  else await runInTime(context, delivery, () => handlers.run(webhook), limitMs)
}

/** What the options have read, for the contexts of the handlers. */
interface Known {
  current?: unknown
  idempotencyKey?: string
}

async function attemptInTransaction(
  { open, handlers, hooks, handlerTimeoutMs: limitMs }: ConsumerParts,
  transaction: TransactionOption<unknown>,
  { event: parsed, context: { kind, attempt } }: Webhook,
  delivery: InboxDelivery,
  known: Known,
  fact: string | undefined,
): Promise<void> {
  let unused: Webhook['event'] | undefined = parsed
  const { idempotencyKey: entryKey, signal } = delivery
  const key = known.idempotencyKey ?? entryKey
  await inTransaction(transaction, limitMs, {
    ...{ key, fact: fact ?? key, entryKey, signal },
    open(tx) {
      const event = unused ?? open(delivery, attempt).event
      unused = undefined
      const context = new WebhookContext(delivery, kind, attempt, tx as undefined)
      return { event, context: Object.assign(context, known) }
    },
    handle: (webhook) => runInTime(webhook.context, delivery, () => handlers.run(webhook), limitMs),
    skip() {
      const fields = { ...fieldsOf(kind, delivery), entryId: delivery.id }
      if (key === entryKey) hooks.warn('already_handled', ALREADY_HANDLED, fields)
      else hooks.note(FACT_HANDLED, { code: 'fact_handled', ...fields, idempotencyKey: key })
    },
  })
}

/** Calls a function whose context is aborted if it takes too long, or if `stop()` no longer waits. */
async function runInTime(
  context: WebhookContext,
  { signal }: InboxDelivery,
  call: () => unknown,
  limitMs = DEFAULT_LIMIT_MS,
): Promise<unknown> {
  const timer = setTimeout(abortLate, limitMs, context, limitMs)
  const stopped = () => {
    // It would keep a process alive whose inbox is closed.
    clearTimeout(timer)
    abortContext(context, signal.reason)
  }
  signal.addEventListener('abort', stopped)
  try {
    return await call()
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stopped)
  }
}

/** @param kind as sent: handlers may have changed the context */
function report(
  hooks: Hooks,
  cause: unknown,
  delivery: InboxDelivery,
  webhook: Webhook | undefined,
  kind: string | undefined,
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

/** Only then: after a failure, nobody may wait any more for what the handlers have passed the signal to. */
export function abortLate(context: WebhookContext, limitMs: number): Error {
  const error = new Error(`The handlers took longer than ${limitMs} ms ("handlerTimeoutMs").`)
  abortContext(context, error)
  return error
}

/** What trying again does not mend. */
const MISCONFIGURED: readonly ErrorCode[] = ['inbox_misconfigured', 'inbox_too_new']

export function toInboxError(message: string, cause: unknown): InboxError {
  const isMisconfigured = isPayhookError(cause) && MISCONFIGURED.includes(cause.code)
  return new InboxError(isMisconfigured ? 'inbox_misconfigured' : 'inbox_unavailable', message, { cause })
}
