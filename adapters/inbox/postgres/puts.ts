import { Buffer } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createEntryIds } from '../../../src/inbox/entry-ids.ts'
import { concurrencyKeyOf } from '../../../src/inbox/entry-rules.ts'
import type { InboxNotification } from '../../../src/receiver/receiver-inbox.ts'
import { codeOf, type Database } from './database.ts'

const BATCH_PUTS = 500
const BATCH_BYTES = 8 * 1024 * 1024
const WRITE_LIMIT_MS = 3_000
/** Concurrent statements: one waits for the disk while PostgreSQL prepares the other. More are no faster. */
const WRITERS = 2
/** How long after a notification that something was stored the next one is sent. */
const NOTIFY_MS = 10

/**
 * For how long the inbox is unavailable after a put for which there was no space. Not until the next one that
 * has some: there is none while a load balancer passes on no requests.
 */
const FULL_DISK_MS = 10_000
const DISK_FULL = '53100'

type PutResult = 'stored' | 'duplicate'
/** `hasId` if the id was given to the inbox, so that there may be an entry with it. */
type Identified = InboxNotification & { readonly id: string; readonly hasId?: boolean }

interface WaitingPut {
  readonly notification: Identified
  resolve(result: PutResult): void
  reject(error: unknown): void
}

/**
 * Puts of a turn of the event loop, and those that arrive while a statement is under way, share the next one.
 *
 * @param onStored called after puts have been committed, with whether other workers may have to be told
 */
export function createPuts(
  database: Database,
  dedupeSeconds: number,
  workerId: () => number | undefined,
  onStored: (isAwaited: boolean) => void,
) {
  const text = `select * from ${database.schema}.put($1, $2, $3, $4)`
  const nextId = createEntryIds()
  let fullDisk: { readonly error: unknown; readonly at: number } | undefined
  const waiting: WaitingPut[] = []
  let underWay = 0
  let writers = 0
  let written = Promise.resolve()

  async function write(puts: readonly WaitingPut[]): Promise<void> {
    underWay += puts.length
    try {
      const given = toArguments(puts.map(({ notification }) => notification))
      const values = [workerId(), dedupeSeconds * 1_000, ...given]
      const rows = await database.query<{ id: string; is_awaited: boolean }>(text, values, WRITE_LIMIT_MS)
      fullDisk = undefined
      const stored = new Set(rows.map(({ id }) => id))
      for (const { notification, resolve } of puts)
        resolve(stored.has(notification.id) ? 'stored' : 'duplicate')
      onStored(rows[0]?.is_awaited ?? false)
    } catch (error) {
      if (codeOf(error) === DISK_FULL) fullDisk = { error, at: performance.now() }
      // Waiting puts would fail too, and must not pile up during an outage.
      for (const put of [...puts, ...waiting.splice(0)]) put.reject(error)
    } finally {
      underWay -= puts.length
    }
  }

  async function writeWaiting(): Promise<void> {
    writers += 1
    // The end of the turn, as more puts may arrive.
    for (await nextTurn(); waiting.length > 0; await nextTurn()) {
      // Split evenly: puts that finish together tend to come back together.
      const share = Math.min(BATCH_PUTS, Math.ceil((waiting.length + underWay) / WRITERS))
      await write(waiting.splice(0, countTogether(waiting.slice(0, share))))
    }
    writers -= 1
  }

  return {
    put: (notification: InboxNotification) =>
      new Promise<PutResult>((resolve, reject) => {
        const { id } = notification
        const identified = { ...notification, id: id ?? nextId(), hasId: id !== undefined }
        waiting.push({ notification: identified, resolve, reject })
        if (writers < WRITERS) written = Promise.all([written, writeWaiting()]).then(() => {})
      }),
    /** Throws if the disk was full just now. After that, another put has to find out whether it still is. */
    assertSpace(): void {
      if (fullDisk !== undefined && performance.now() - fullDisk.at < FULL_DISK_MS) throw fullDisk.error
    },
    settled: () => written,
  }
}

/** How many of the first puts fit into one statement, which may not have a signature or an id twice. */
function countTogether(puts: readonly WaitingPut[]): number {
  const seen = new Set<string>()
  let bytes = 0
  const tooMany = puts.findIndex(({ notification: { id, signature, rawBody } }, index) => {
    bytes += rawBody.length
    return (
      seen.size === seen.add(id).size ||
      seen.size === seen.add(signature).size ||
      (index > 0 && bytes > BATCH_BYTES)
    )
  })
  return tooMany === -1 ? puts.length : tooMany
}

/** What the function `put` stores: the notifications with their states, and their bodies in a row. */
export function toArguments<Given extends Identified>(
  notifications: readonly Given[],
  stateOf: (given: Given) => object = () => ({}),
): [string, Buffer] {
  let end = 0
  const rows = notifications.map((given) => {
    const start = end
    end += given.rawBody.length
    return {
      id: given.id,
      received_at: given.receivedAt.getTime(),
      signature: `\\x${given.signature}`,
      client_id: given.clientId,
      subject: given.subject,
      key: concurrencyKeyOf(given),
      source: given.source === 'service' ? null : given.source,
      traceparent: given.traceparent,
      has_id: given.hasId,
      start,
      length: given.rawBody.length,
      ...stateOf(given),
    }
  })
  return [JSON.stringify(rows), Buffer.concat(notifications.map(({ rawBody }) => rawBody))]
}

/** Tells others that something is due, in a statement of its own, but not more often than they need. */
export function createNotifier({ query, channel, instance }: Database): () => void {
  let isWaiting = false
  let isMissed = false

  // Not in the transaction that stores: PostgreSQL lets only one transaction at a time commit notifications.
  function send(): void {
    isWaiting = true
    isMissed = false
    // What is missed is found a second later.
    query('select pg_notify($1, $2)', [channel, instance]).catch(() => {})
    setTimeout(() => {
      isWaiting = false
      if (isMissed) send()
    }, NOTIFY_MS).unref()
  }

  return () => {
    isMissed = true
    if (!isWaiting) send()
  }
}
