import { readSubject } from '../events/subject.ts'
import type { WebhookEvent } from '../events/webhook-event.ts'
import type { SignedNotification } from '../notification/signed-notification.ts'
import {
  type Check,
  callback,
  checkOptions,
  delayMs,
  flag,
  option,
  optional,
  text,
} from '../option-checks.ts'
import type { InboxNotification } from '../receiver/receiver-inbox.ts'
import { sign } from '../verification/signature.ts'
import { type ListedNotification, type ReconcileItem, readNews, toListedNotification } from './listed-item.ts'

/** The part of an inbox that {@link reconcile} uses. */
export interface ReconcileInbox {
  put(notification: SignedNotification): Promise<'stored' | 'duplicate'>
  entries(options?: {
    readonly subject?: string
  }): AsyncIterable<Pick<InboxNotification, 'subject' | 'rawBody' | 'receivedAt'>>
  readonly keepCompletedSeconds: number
}

/** Options of {@link reconcile}. */
export interface ReconcileOptions {
  /** An inbox from `payhook/sqlite`, `payhook/bullmq` or `payhook/pg-boss`. It need not be started. */
  readonly inbox: ReconcileInbox
  /** The client id to sign with: that of your receiver. */
  readonly clientId: string
  /**
   * What the service's API says now: payments, invoices and accounts, in any order. It is read one by one, so
   * it may be longer than fits in memory.
   */
  readonly list: AsyncIterable<ReconcileItem> | Iterable<ReconcileItem>
  /**
   * From when on the list is complete, such as the `updatedSince` of your query. The inbox must keep completed
   * notifications for longer: what it has deleted would be handled again. @default a day ago
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
  /** The `subject` option of your receiver, if it has one. */
  readonly subject?: ((event: WebhookEvent) => string | null) | undefined
  /** Called with each item that was missing, once it is stored. */
  readonly onMissed?: ((item: ReconcileItem) => void) | undefined
}

/** What {@link reconcile} has found. */
export interface ReconcileResult {
  /** The number of items in the list. */
  readonly checked: number
  /** How many of them the inbox had no entry of. */
  readonly missed: number
  /** How many it stored: those that were missing, but for a dry run or what another process stored first. */
  readonly recovered: number
}

const RECONCILE_OPTIONS = {
  inbox: option<ReconcileInbox>('an inbox, such as one created with createSqliteInbox()', (value) =>
    ['put', 'entries'].every((name) => typeof Object(value)[name] === 'function'),
  ),
  clientId: text(),
  list: option<ReconcileOptions['list']>(
    'an iterable of { kind, data }',
    (value) =>
      typeof value === 'object' &&
      (Symbol.asyncIterator in Object(value) || Symbol.iterator in Object(value)),
  ),
  since: optional(
    option<Date>('a valid Date', (value) => value instanceof Date && !Number.isNaN(value.getTime())),
  ),
  graceMs: delayMs(0, 60_000),
  dryRun: flag(false),
  subject: optional(callback<(event: WebhookEvent) => string | null>()),
  onMissed: callback<(item: ReconcileItem) => void>(() => {}),
} satisfies Record<keyof ReconcileOptions, Check<unknown>>

const DAY_MS = 86_400_000
/** How many missing items wait for their second look, so that memory does not grow with the list. */
const MAX_HELD = 10_000

/**
 * Finds what never came. Compares what the service's API says now with what the inbox has had, and stores what
 * is missing as a notification of its own making: with `source: 'reconcile'`, signed with your client id, for
 * the same handlers.
 *
 * An item is missing if the inbox has no entry about that payment or invoice with that status, in whatever
 * state and of either direction. Of an account, it is the last entry that counts, since its flags may change
 * back.
 *
 * It can run beside live traffic and beside another run. If it is interrupted, run it again.
 *
 * @throws TypeError if an option or an item of the list is invalid, or the inbox keeps completed notifications
 *   for a shorter time than since `since`. Nothing is stored of an invalid item and those after it.
 * @throws InboxError `inbox_unavailable` if the inbox cannot be searched, or cannot store
 * @throws whatever the list throws
 * @example
 * async function* list() {
 *   for await (const payment of paymentsOfYourApi({ updatedSince: since })) {
 *     yield { kind: 'INBOUND_PAYMENT_STATUS_UPDATED', data: payment }
 *   }
 * }
 * const { missed, recovered } = await reconcile({ inbox, clientId, list: list(), since })
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileResult> {
  const checked = checkOptions('reconcile', options, RECONCILE_OPTIONS)
  const { inbox, clientId, list, graceMs, dryRun, onMissed } = checked
  assertKept(inbox, checked.since)
  if (checked.subject === undefined) await assertUsualSubjects(inbox)
  const result = { checked: 0, missed: 0, recovered: 0 }
  const held: { readonly wanted: Wanted; readonly lookedAt: number }[] = []

  async function recover({ item, body, subject }: Wanted): Promise<void> {
    result.missed += 1
    if (!dryRun) {
      const signature = sign({ body, clientId })
      const put = {
        signature,
        clientId,
        receivedAt: new Date(),
        rawBody: body,
        subject,
        source: 'reconcile',
      } as const
      if ((await inbox.put(put)) === 'stored') result.recovered += 1
    }
    onMissed(item)
  }

  /** Has a second look at what is due, and waits for it while there are more than `most`. */
  async function settle(most: number): Promise<void> {
    for (let first = held[0]; first !== undefined; first = held[0]) {
      const { wanted, lookedAt } = first
      const waitMs = lookedAt + graceMs - Date.now()
      if (waitMs > 0 && held.length <= most) return
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      if (await isMissing(inbox, wanted, lookedAt - graceMs)) await recover(wanted)
      held.shift()
    }
  }

  for await (const item of list) {
    const wanted = toWanted(item, result.checked + 1, checked.subject)
    result.checked += 1
    const lookedAt = Date.now()
    if (await isMissing(inbox, wanted, lookedAt - graceMs)) held.push({ wanted, lookedAt })
    await settle(MAX_HELD)
  }
  await settle(0)
  return result
}

/** A notification to look for, and what its entry is found by. */
type Wanted = ListedNotification & { readonly subject: string }

function toWanted(item: unknown, position: number, ownSubject: ReconcileOptions['subject']): Wanted {
  const listed = toListedNotification(item, position)
  const subject = ownSubject === undefined ? listed.news.object : ownSubject(listed.event)
  if (subject === null)
    throw new TypeError(`Item ${position} of "list" has no subject, according to the "subject" option`)
  return { ...listed, subject }
}

/**
 * Whether the inbox has no entry with the news, and no other about the object that arrived after
 * `unchangedSince`. For the second look that is the same time, so that it notices whatever has arrived in
 * between.
 */
async function isMissing(
  inbox: ReconcileInbox,
  { subject, news }: Wanted,
  unchangedSince: number,
): Promise<boolean> {
  let last: { readonly status: string; readonly arrivedAt: number } | undefined
  for await (const { rawBody, receivedAt } of inbox.entries({ subject })) {
    const found = readNews(rawBody)
    if (found?.object !== news.object) continue
    if (found.status === news.status && !news.comesBack) return false
    last = { status: found.status, arrivedAt: receivedAt.getTime() }
  }
  return last === undefined || (last.status !== news.status && last.arrivedAt <= unchangedSince)
}

function assertKept({ keepCompletedSeconds }: ReconcileInbox, since: Date | undefined): void {
  const ageMs = since === undefined ? DAY_MS : Date.now() - since.getTime()
  if (ageMs <= keepCompletedSeconds * 1_000) return
  throw new TypeError(
    `"since" option must be within the ${keepCompletedSeconds} seconds for which the inbox keeps completed notifications; it is ${
      since === undefined ? 'a day ago by default' : since.toISOString()
    }. What was handled before that would be handled again: raise "keepCompletedSeconds", or list less`,
  )
}

/** Without the receiver's own subjects, everything would be missing. */
async function assertUsualSubjects(inbox: ReconcileInbox): Promise<void> {
  for await (const { subject, rawBody } of inbox.entries()) {
    if (subject === readSubject(rawBody)) return
    throw new TypeError(
      'This inbox has subjects by the "subject" function of a receiver: pass the same function to reconcile',
    )
  }
}
