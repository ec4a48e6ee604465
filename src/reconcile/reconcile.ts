import { createHash } from 'node:crypto'
import type { SignedNotification } from '../notification/signed-notification.ts'
import * as check from '../option-checks.ts'
import { createLog, toPlainError } from '../receiver/logger.ts'
import type { InboxDelivery } from '../receiver/receiver-inbox.ts'
import { toUuid } from '../to-uuid.ts'
import { sign } from '../verification/signature.ts'
import {
  type ListedNotification,
  type ReconcileItem,
  readStatus,
  readUpdatedAt,
  toListedNotification,
} from './listed-item.ts'

/** The part of an inbox that {@link reconcile} uses. */
export interface ReconcileInbox {
  put(notification: SignedNotification): Promise<'stored' | 'duplicate'>
  entries(options?: { readonly subject?: string }): AsyncIterable<Entry>
  readonly keepCompletedSeconds: number
}

type Entry = Pick<
  InboxDelivery,
  'rawBody' | 'clientId' | 'receivedAt' | 'idempotencyKey' | 'concurrencyKey'
> & {
  readonly kind: string | null
  readonly state: string
  readonly error: string | null
}

/** Options of {@link reconcile}. */
export interface ReconcileOptions {
  /** An inbox from `payhook/sqlite`, `payhook/bullmq` or `payhook/postgres`. It need not be started. */
  readonly inbox: ReconcileInbox
  /** The client id to sign with: that of your receiver. */
  readonly clientId: string
  /**
   * What the service's API says now: payments, invoices and accounts, in any order. It is read one by one, so
   * it may be longer than fits in memory.
   */
  readonly list: AsyncIterable<ReconcileItem> | Iterable<ReconcileItem>
  /**
   * From when on the list has every change. Items whose `updatedAt` is earlier are skipped, and those whose
   * entry the inbox may have deleted by the time they are read. The inbox must have kept what was completed
   * since then: what it has deleted would be handled again. @default a day ago
   */
  readonly since?: Date | undefined
  /**
   * How long a notification may be on its way, in milliseconds, from 0 to 24.8 days. What is missing is looked
   * up again after this time. What changed within it is left for the next run. With 0, list only what has not
   * changed for a while.
   * @default 60,000: three attempts within ten seconds, and the time that each may take
   */
  readonly graceMs?: number | undefined
  /** Whether to store nothing, and only count what is missing. @default false */
  readonly dryRun?: boolean | undefined
  /**
   * Called with each item that was missing, once it is stored, and awaited. If it fails, the run goes on; the
   * first failure is a process warning.
   */
  readonly onMissed?: ((item: ReconcileItem) => unknown) | undefined
}

/** What {@link reconcile} has found. */
export interface ReconcileResult {
  /** The number of items in the list, but for those that were skipped. */
  readonly checked: number
  /** How many of them the inbox had no entry of. */
  readonly missed: number
  /** How many it stored: those that were missing, but for a dry run or what another process stored first. */
  readonly recovered: number
}

const RECONCILE_OPTIONS = {
  inbox: check.option<ReconcileInbox>('an inbox, such as one created with createSqliteInbox()', (value) =>
    ['put', 'entries'].every((name) => typeof Object(value)[name] === 'function'),
  ),
  clientId: check.text(),
  list: check.option<ReconcileOptions['list']>(
    'an iterable of { kind, data }',
    (value) =>
      typeof value === 'object' &&
      (Symbol.asyncIterator in Object(value) || Symbol.iterator in Object(value)),
  ),
  since: check.optional(check.date()),
  graceMs: check.delayMs(0, 60_000),
  dryRun: check.flag(false),
  onMissed: check.callback<(item: ReconcileItem) => unknown>(() => {}),
} satisfies Record<keyof ReconcileOptions, check.Check<unknown>>

const SKIPPED =
  'reconcile skipped what changed after "since", as the inbox may have deleted its entry by the time it was read: raise "keepCompletedSeconds", in the application, too'
const DAY_MS = 86_400_000
/** How many missing items wait for their second look, so that memory does not grow with the list. */
const MAX_HELD = 10_000
/** How many of them are stored together, which takes an engine about as long as one. */
const AT_ONCE = 50

/**
 * Finds what never came. Compares what the service's API says now with what the inbox has had, and stores what
 * is missing as a notification that it builds and signs with your client id: with `source: 'reconcile'`, for
 * the same handlers.
 *
 * An item is missing if the inbox has no entry about that payment or invoice with that status, in whatever
 * state but dead, and of either direction; of another client id, the other direction does not count. Nor does a
 * completed one that no handler took. Of an account, it is the last entry that counts, since its flags may
 * change back.
 *
 * It can run beside live traffic and beside another run: each item is stored once. If it is interrupted, run it
 * again. If the list fails, or has an invalid item, what came before is recovered first.
 *
 * @throws TypeError if an option or an item of the list is invalid, or the inbox keeps completed notifications
 *   for a shorter time than since `since`. Nothing is stored of an invalid item and those after it.
 * @throws InboxError `inbox_unavailable` if the inbox cannot be searched, or cannot store
 * @throws whatever the list throws
 * @example
 * async function* list() {
 *   for await (const payment of paymentsToYou({ updatedSince: since })) {
 *     yield { kind: 'INBOUND_PAYMENT_STATUS_UPDATED', data: payment }
 *   }
 * }
 * const { missed, recovered } = await reconcile({ inbox, clientId, list: list(), since })
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileResult> {
  const checked = check.checkOptions('reconcile', options, RECONCILE_OPTIONS)
  const { inbox, clientId, list, graceMs, dryRun, onMissed } = checked
  const since = checked.since?.getTime() ?? Date.now() - DAY_MS
  assertKept(inbox, checked.since)
  const log = createLog(undefined)
  const result = { checked: 0, missed: 0, recovered: 0 }
  const held: Held[] = []
  const failures: unknown[] = []

  async function* read(): AsyncGenerator<ListedNotification, void, undefined> {
    let position = 0
    try {
      for await (const item of list) {
        position += 1
        const updatedAt = readUpdatedAt(item, position) ?? Number.POSITIVE_INFINITY
        // While the list is read, the inbox may delete what was completed at its beginning.
        const keptSince = Math.max(since, Date.now() - inbox.keepCompletedSeconds * 1_000)
        if (updatedAt >= keptSince) yield toListedNotification(item, position)
        else if (updatedAt >= since) log('warn', SKIPPED)
      }
    } catch (error) {
      failures.push(error)
    }
  }

  async function recover({ listed, lookedAt }: Held): Promise<void> {
    const missing = await findMissing(inbox, clientId, listed, lookedAt - graceMs)
    if (missing === undefined) return
    result.missed += 1
    const put = async () => await inbox.put(toNotification(listed, clientId, missing.last))
    if (!dryRun && (await put()) === 'stored') result.recovered += 1
    try {
      await onMissed(listed.item)
    } catch (error) {
      log('error', 'the "onMissed" option of reconcile failed', { error: toPlainError(error) })
    }
  }

  const isDue = (item: Held | undefined) => item !== undefined && item.lookedAt + graceMs <= Date.now()

  /** Has a second look at the first ones, once they are due. */
  async function settle(): Promise<void> {
    const batch = held.splice(0, AT_ONCE)
    const waitMs = Number(batch.at(-1)?.lookedAt) + graceMs - Date.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    const outcomes = await Promise.allSettled(batch.map(recover))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  for await (const listed of read()) {
    result.checked += 1
    const lookedAt = Date.now()
    if ((await findMissing(inbox, clientId, listed, lookedAt - graceMs)) !== undefined)
      held.push({ listed, lookedAt })
    while (isDue(held[AT_ONCE - 1]) || held.length > MAX_HELD) await settle()
  }
  while (held.length > 0) await settle()
  if (failures.length > 0) throw failures[0]
  return result
}

/** An item that was missing at the first look. */
interface Held {
  readonly listed: ListedNotification
  readonly lookedAt: number
}

/**
 * Looks for an entry with the status, and for any other about the same object that arrived after
 * `unchangedSince`. For the second look that is the same time, so that it notices whatever has arrived in
 * between.
 *
 * @returns `undefined` if there is one; otherwise the last entry about the object that was handled
 */
async function findMissing(
  inbox: ReconcileInbox,
  clientId: string,
  { item, subject, status, mayComeBack }: ListedNotification,
  unchangedSince: number,
): Promise<{ readonly last: Entry | undefined } | undefined> {
  let last: Entry | undefined
  let lastStatus: string | undefined
  let arrivedAt = Number.NEGATIVE_INFINITY
  for await (const entry of inbox.entries({ subject })) {
    // What the other party of a payment got, if both are tenants of one platform.
    if (entry.clientId !== clientId && entry.kind !== item.kind) continue
    const found = readStatus(entry.rawBody)
    // Or will be. A completed one has an error if there was no handler for it.
    const isHandled = entry.state !== 'dead' && (entry.state !== 'completed' || entry.error === null)
    if (found === undefined || (found === status && !isHandled)) continue
    if (found === status && !mayComeBack) return undefined
    const time = entry.receivedAt.getTime()
    // A machine may boot with a clock that is years ahead, for which nothing would be missing.
    if (time < Date.now() + DAY_MS) arrivedAt = Math.max(arrivedAt, time)
    // The order of a list is not that of arrival where entries were moved to.
    if (!isHandled || (last !== undefined && entry.receivedAt < last.receivedAt)) continue
    last = entry
    lastStatus = found
  }
  return lastStatus === status || arrivedAt > unchangedSince ? undefined : { last }
}

/**
 * Two runs that find the same entries give it the same id, so that the inbox stores it once. What changed since
 * has another one, or its handlers would be skipped where a receipt outlives the entry. The id sorts after that
 * of the last entry, whose key it has, too.
 */
function toNotification(
  { item, body, subject, status }: ListedNotification,
  clientId: string,
  last: Entry | undefined,
): SignedNotification {
  const lastId = last?.idempotencyKey ?? ''
  const lastTime = Number.parseInt(lastId.replaceAll('-', '').slice(0, 12) || '0', 16)
  const digest = createHash('sha256')
    .update(JSON.stringify([clientId, subject, status, lastId, new Date(item.updatedAt ?? 0)]))
    .digest('hex')
  return {
    signature: sign({ body, clientId }),
    clientId,
    receivedAt: new Date(),
    rawBody: body,
    subject,
    concurrencyKey: last?.concurrencyKey,
    source: 'reconcile',
    id: toUuid(lastTime + 1, digest.slice(0, 18)),
  }
}

function assertKept({ keepCompletedSeconds }: ReconcileInbox, since: Date | undefined): void {
  const ageMs = since === undefined ? DAY_MS : Date.now() - since.getTime()
  if (ageMs <= keepCompletedSeconds * 1_000) return
  const given = since === undefined ? 'a day ago by default' : since.toISOString()
  throw new check.OptionError(
    'since',
    `within the ${keepCompletedSeconds} seconds for which the inbox keeps completed notifications; it is ${given}. What was handled before that would be handled again`,
    ': list less, or raise "keepCompletedSeconds" in the application, too, and wait as long',
  )
}
