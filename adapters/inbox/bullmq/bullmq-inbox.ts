import type { ConnectionOptions, JobsOptions } from 'bullmq'
import { createInbox } from '../../../src/inbox/create-inbox.ts'
import { createEntryIds } from '../../../src/inbox/entry-ids.ts'
import { describeNotDurable } from '../../../src/inbox/health.ts'
import type { Inbox } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { INBOX_OPTIONS, type InboxOptions, keepCompleted } from '../../../src/inbox/inbox-options.ts'
import { isPayhookError } from '../../../src/is-payhook-error.ts'
import * as check from '../../../src/option-checks.ts'
import type { InboxConsumer, InboxNotification } from '../../../src/receiver/receiver-inbox.ts'
import { createBatch, gather } from './batch.ts'
import { type Connection, createConnection } from './connection.ts'
import { createEntries } from './entries.ts'
import { createImports } from './imports.ts'
import { JOB_NAME, toStored } from './job.ts'
import { readHealth } from './read-health.ts'
import { runScript } from './scripts.ts'
import { Session } from './session.ts'
import { createSubjectIndex, type SubjectIndex } from './subject-index.ts'

/** Options of {@link createBullmqInbox}. */
export interface BullmqInboxOptions extends InboxOptions {
  /**
   * Where Redis is: a URL, ioredis options such as `{ host, port, password }`, or an ioredis `Redis` or
   * `Cluster`, whose options the inbox copies for its own connections. The inbox overrides the options for
   * reconnecting, for the offline queue and for automatic pipelining.
   */
  // BullMQ's type lacks the null that ioredis' own has there.
  readonly connection: string | URL | ConnectionOptions | { readonly retryStrategy?: unknown }
  /** The name of the queue, without a colon. It is for this inbox alone. @default `payhook` */
  readonly queueName?: string | undefined
  /**
   * The prefix of the keys in Redis. In a Redis Cluster it must have a hash tag, such as `{payhook}`.
   * @default `bull`, as in BullMQ
   */
  readonly prefix?: string | undefined
  /**
   * Whether to create the queue if it is missing. Use `false` in scripts to detect a mistyped name.
   * @default true
   */
  readonly create?: boolean | undefined
  /**
   * How long a crashed process keeps the lock on a notification, in seconds, from 1 to 3,600. Another process
   * notices after at most one and a half times as long. A handler must not block the event loop for longer.
   * @default 10
   */
  readonly lockSeconds?: number | undefined
}

const OPTIONS = {
  ...INBOX_OPTIONS,
  keepCompletedSeconds: keepCompleted(3_600),
  connection: checkConnection,
  queueName: check.text('payhook', /^[^:]+$/, 'a non-empty string without a colon'),
  prefix: check.text('bull'),
  create: check.flag(true),
  lockSeconds: check.integer(1, 3_600, 10),
} satisfies check.Checks<Omit<BullmqInboxOptions, 'connection'> & { connection: ConnectionOptions }>

/**
 * Creates an inbox in Redis, based on BullMQ, for receivers and workers on many machines. BullMQ's own tools
 * work with it; dead notifications are its failed jobs.
 *
 * Notifications are as durable as Redis is configured: without `appendonly yes`, a restart of Redis loses the
 * most recent ones; with a `maxmemory-policy` other than `noeviction`, Redis may evict any of them. `start`
 * warns once of either, and `health` has the problem `not_durable`. While Redis is down, `put` rejects soon.
 *
 * A handler must not block the event loop for longer than `lockSeconds`: another process would handle its
 * notification again. `docs/redis.md` has the settings, and what is different from the other inboxes.
 *
 * Requires Redis 6.2, BullMQ 6.5.1 and ioredis 5.4.1, or later.
 *
 * @throws TypeError if an option is missing, unknown or out of range
 * @example
 * const inbox = createBullmqInbox({ connection: 'redis://127.0.0.1', oneAtATime: true })
 * const receiver = createReceiver({ clientId, callbackToken, inbox })
 * receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', (event) => console.log(event.data.id))
 * await receiver.start()
 */
export function createBullmqInbox(options: BullmqInboxOptions): Inbox {
  const checked = check.checkOptions('createBullmqInbox', options, OPTIONS)
  const redis = createConnection(checked)
  let session: Session | undefined
  let reopening: NodeJS.Timeout | undefined
  const open = (consumer: InboxConsumer, failing: boolean) => {
    session = new Session(redis, index, consumer, checked, failing, () => {
      session?.stop().catch(() => {})
      reopening = setTimeout(open, REOPEN_MS, consumer, true)
    })
  }

  const index = createSubjectIndex(redis)
  return createInbox({
    keepCompletedSeconds: checked.keepCompletedSeconds,
    oneAtATime: checked.oneAtATime,
    listsByFinish: true,
    ...createEntries(redis),
    find: index.find,
    health: () => readHealth(redis),
    ...createImports(redis, index),
    put: createPut(redis, index, checked),
    async start(consumer) {
      const health = await readHealth(redis).catch((error) => {
        // The worker waits for the end of an outage.
        if (isPayhookError(error)) throw error
      })
      if (health?.notDurable !== undefined) warnOnce(describeNotDurable(health.notDurable))
      open(consumer, false)
    },
    async stop() {
      clearTimeout(reopening)
      await session?.stop()
    },
    close: () => redis.close(),
  })
}

/** When to try again if a connection of the worker could not be opened, in milliseconds. */
const REOPEN_MS = 1_000

let isWarned = false

function warnOnce(message: string): void {
  if (isWarned) return
  isWarned = true
  process.emitWarning(message, { type: 'PayhookWarning', code: 'not_durable' })
}

function checkConnection(name: string, connection: unknown): ConnectionOptions {
  const url = connection instanceof URL ? connection.href : connection
  if (typeof url === 'string' && /^rediss?:/.test(url) && URL.canParse(url)) return { url }
  if (typeof url === 'object' && url !== null && !Array.isArray(url)) return url
  throw check.invalidOption(
    name,
    'a redis: or rediss: URL, or an object such as { host: "127.0.0.1", port: 6379 }',
    connection,
  )
}

type NewJob = InboxNotification & { readonly id: string; readonly storedAt: number }

function createPut(
  { queue, reach, limit }: Connection,
  index: SubjectIndex,
  { dedupeSeconds }: check.Checked<typeof OPTIONS>,
): InboxEngine['put'] {
  const ttl = dedupeSeconds * 1_000
  const nextId = createEntryIds()

  /** @returns the id of the job, or of the one that it is a duplicate of */
  async function add(notification: NewJob): Promise<string> {
    const { id, signature } = notification
    const options: JobsOptions = { jobId: id }
    if (ttl > 0) options.deduplication = { id: signature, ttl }
    const job = await queue.add(JOB_NAME, toStored(notification), options)
    return job.id ?? id
  }

  const addWithOthers = createBatch(async (jobs: readonly NewJob[]) => {
    const client = await reach()
    // One alone would wait for the end of the turn for nothing.
    if (jobs.length > 1) gather(client)
    let noting: Promise<void> | undefined
    // Redis would be idle between turns if each put waited for the last one of its turn.
    return jobs.map((job) =>
      limit(async () => {
        noting ??= index.note(client, jobs)
        const [storedId] = await Promise.all([add(job), noting])
        if (storedId === job.id) return 'stored'
        await index.replace(job, storedId)
        return 'duplicate'
      }),
    )
  })

  return async (notification) => {
    const { id } = notification
    const storedAt = Date.now()
    if (id === undefined) return await addWithOthers({ ...notification, id: nextId(), storedAt })
    const client = await reach()
    if ((await limit(() => client.exists(queue.toKey(id)))) > 0) {
      await limit(() => index.replace({ ...notification, id, storedAt }, id))
      return 'duplicate'
    }
    if ((await addWithOthers({ ...notification, id, storedAt })) === 'duplicate') return 'duplicate'
    // Of puts that come here at once, BullMQ adds the job of one, and tells all that it did.
    const [isFirst] = await limit(() => runScript<number>(queue, 'payhookClaim', [id]))
    return isFirst === 1 ? 'stored' : 'duplicate'
  }
}
