import type { KindSchemas, NoKinds } from '../events/kind-schemas.ts'
import type { WebhookEvent } from '../events/webhook-event.ts'
import type { WebhookContext } from '../notification/open-notification.ts'
import * as check from '../option-checks.ts'
import { VERIFIER_CHECKS, type VerifierOptions } from '../verification/request-verifier.ts'
import type { Logger } from './logger.ts'
import type { ReceiverInbox } from './receiver-inbox.ts'
import type { TransactionOption } from './transaction.ts'

/** Reads what is true now of what a notification is about. */
export type CurrentOption<Kinds extends KindSchemas, Current> = (
  event: WebhookEvent<Kinds>,
  context: WebhookContext,
) => PromiseLike<Current> | Current

/** Names what the handlers have to do. */
export type IdempotencyKeyOption<Kinds extends KindSchemas, Current> = (
  event: WebhookEvent<Kinds>,
  context: WebhookContext<undefined, NoInfer<Current>>,
) => string | null

/** Options of {@link createReceiver}. */
export interface ReceiverOptions<Kinds extends KindSchemas = NoKinds, Tx = undefined, Current = undefined>
  extends VerifierOptions<Kinds> {
  /**
   * Stores notifications, so that they are acknowledged first and handled later: an inbox from
   * `payhook/sqlite`, `payhook/bullmq` or `payhook/postgres`. @default none; the handlers run before the reply
   */
  readonly inbox?: ReceiverInbox | undefined
  /**
   * The key of a notification, in 1 to 200 characters: an inbox with `oneAtATime` handles one notification of a
   * key at a time. With `null`, a notification is not limited. Called before it is stored, but not by
   * `reconcile`, which takes the key of the last entry about the same object, or its subject. If it fails,
   * which is logged, and without an inbox, it has no effect. @default the subject, such as `payment:48121`
   * @example
   * concurrencyKey: (event) =>
   *   event.type === 'INBOUND_PAYMENT_STATUS_UPDATED' ? `payee:${event.data.payeeAccountId}` : null
   */
  readonly concurrencyKey?: ((event: WebhookEvent<Kinds>) => string | null) | undefined
  /**
   * Reads what is true now from the service's API, for `context.current`. It runs in each attempt, before the
   * transaction begins: what it reads is newer than every notification of the same key that was handled before,
   * so the order in which they arrive no longer matters. Pass its `signal` on: it is aborted after
   * `handlerTimeoutMs`. If it rejects, the attempt failed. If your API may be behind a notification, compare
   * here, and throw a `RetryAfterError`. It is not called for what has no handler. Needs an `inbox` with
   * `oneAtATime`. @default none
   * @example
   * current: ({ type, data }, { signal }) =>
   *   type === 'INBOUND_PAYMENT_STATUS_UPDATED' ? readPayment(data.id, signal) : null
   */
  readonly current?: CurrentOption<Kinds, Current> | undefined
  /**
   * Names what the handlers have to do, in 1 to 200 characters. It is what `context.idempotencyKey` is then,
   * and what `transaction` claims, so that a second notification of the same fact is completed without its
   * handlers, however much later it comes. Name the status, or `Sent` is the fact and `Complete` is skipped,
   * and the kind, if kinds have handlers of their own. With `null`, it is the key of the entry. A replay of
   * handled entries adds `:1`, `:2` and so on, so that it repeats a fact, but once for all that are about it.
   * Write it after `current`, and name what that says. An invalid key is a failed attempt. Needs an `inbox`.
   * @default the key of the entry
   * @example
   * idempotencyKey: ({ type }, { current }) => current && `${type}:${current.id}:${current.status}`
   */
  readonly idempotencyKey?: IdempotencyKeyOption<Kinds, Current> | undefined
  /**
   * Runs the handlers of a notification in a transaction of your database, so that what they write with
   * `context.tx` is there exactly once. Begin a transaction, call `run(tx, claim)` in it, and return its
   * promise. `claim` inserts the `context.idempotencyKey` where it is unique, and resolves to whether it was
   * new; if not, the handlers are skipped. `run` rejects if a handler fails: roll back and reject, too. Also
   * reject if the commit is a rollback, as PostgreSQL's is after an error that a handler ignored. The attempt
   * fails as well if the transaction takes longer than `handlerTimeoutMs`, or 30 seconds without it, to begin,
   * to claim or to end. `docs/exactly-once.md` has recipes. Needs an `inbox`. @default none
   * @example
   * transaction: (run) =>
   *   db.transaction(async (tx) => {
   *     const ran = await run(tx, (key) => insertReceipt(tx, key))
   *     await tx.query('select 1') // fails if a handler ignored the error of a statement
   *     return ran
   *   })
   */
  readonly transaction?: TransactionOption<Tx> | undefined
  /**
   * How long the inbox may take to store a notification, in milliseconds, at most 24.8 days. After that, the
   * sender gets a 503, so that it tries again. @default 5,000
   */
  readonly inboxTimeoutMs?: number | undefined
  /**
   * How long all handlers of one notification may take together, in milliseconds, at most 24.8 days; `current`
   * may take as long before them. After that, the context's signal is aborted. Without an inbox, the sender
   * gets a 500, so that it tries again; the default is 30,000. With an inbox, the attempt fails if the handlers
   * then fail; the default is 300,000.
   */
  readonly handlerTimeoutMs?: number | undefined
  /**
   * Where rejected and failed notifications are logged: `console`, pino, bunyan, winston. Default: the first
   * of each cause is a process warning, unless there is a hook for it.
   */
  readonly logger?: Logger | undefined
}

const RECEIVER_CHECKS = {
  ...VERIFIER_CHECKS,
  inbox: check.optional(
    check.option<ReceiverInbox>(
      'an inbox, such as one created with createSqliteInbox()',
      check.hasMethods('put', 'start', 'stop'),
    ),
  ),
  concurrencyKey: check.optional(check.callback<(event: WebhookEvent) => string | null>()),
  current: check.optional(check.callback<CurrentOption<NoKinds, unknown>>()),
  idempotencyKey: check.optional(check.callback<IdempotencyKeyOption<NoKinds, unknown>>()),
  transaction: check.optional(check.callback<TransactionOption<unknown>>()),
  inboxTimeoutMs: check.delayMs(1, 5_000),
  handlerTimeoutMs: check.optional(check.delayMs(1)),
  logger: check.optional(
    check.option<Logger>(
      'an object with the methods warn(message, fields) and error(message, fields)',
      check.hasMethods('warn', 'error'),
    ),
  ),
} satisfies Record<keyof ReceiverOptions, check.Check<unknown>>

export function checkReceiverOptions(options: unknown) {
  const checked = check.checkOptions('createReceiver', options, RECEIVER_CHECKS)
  for (const name of ['idempotencyKey', 'transaction'] as const) {
    if (checked[name] === undefined || checked.inbox !== undefined) continue
    throw new TypeError(
      `"${name}" option needs an "inbox": without one, there is no idempotency key to claim`,
    )
  }
  return checked
}

/** @throws TypeError if what `current` reads first may be written last */
export function assertReadsInOrder({
  current,
  inbox,
}: Partial<Pick<check.Checked<typeof RECEIVER_CHECKS>, 'current' | 'inbox'>>): void {
  if (current === undefined || inbox?.oneAtATime) return
  throw new TypeError(
    '"current" option needs an "inbox" with oneAtATime: true. Without it, what was read first may be written last.',
  )
}
