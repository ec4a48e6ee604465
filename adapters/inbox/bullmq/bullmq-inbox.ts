import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ConnectionOptions, JobsOptions, Queue } from 'bullmq'
import { createInbox } from '../../../src/inbox/create-inbox.ts'
import type { Inbox } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import {
  type CheckedInboxOptions,
  checkInboxOptions,
  INBOX_OPTIONS,
  type InboxOptions,
} from '../../../src/inbox/inbox-options.ts'
import { assertOptions, withinRange } from '../../../src/option-checks.ts'
import { withTimeLimit } from '../../../src/time-limit.ts'
import { type Connection, connectionOf, createConnection } from './connection.ts'
import { createEntries } from './entries.ts'
import { JOB_NAME, toStored } from './job.ts'
import { type Session, startSession } from './session.ts'

export type { Inbox, InboxCounts, InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'

/** Options of {@link createBullmqInbox}. It needs `connection` or `queue`. */
export interface BullmqInboxOptions extends InboxOptions {
  /**
   * Where Redis is: its URL, options of ioredis, as in `{ host, port, password }`, or an ioredis instance,
   * whose options are used for connections of the inbox's own. How they reconnect and what waits for it is the
   * inbox's to say. An ioredis cluster is used as it is.
   */
  readonly connection?: string | URL | ConnectionOptions | undefined
  /** A BullMQ queue of yours for this inbox alone. It is left open by `close()`. */
  readonly queue?: Queue | undefined
  /** The name of the queue, without a colon. Default `payhook`; with `queue`, that has it. */
  readonly queueName?: string | undefined
  /** What the names of its keys in Redis begin with. Default: BullMQ's, `bull`; with `queue`, that has it. */
  readonly prefix?: string | undefined
  /**
   * How long a process that died keeps what it was handling, in seconds, from 1 to 3,600; another one notices
   * after at most one and a half times as long. Also the longest that a handler may block the event loop.
   * Default 10.
   */
  readonly lockSeconds?: number | undefined
}

/**
 * How long Redis may leave a put unanswered, in milliseconds. Then the connection is taken for dead: a network
 * that swallows packets would have every further put pile up behind it.
 */
const PUT_LIMIT_MS = 2_000

/**
 * Makes an inbox in Redis, on BullMQ's queue, retries, locks and workers: for receivers and workers on many
 * machines. BullMQ's own tools show it; the dead are its failed jobs.
 *
 * What `put` has acknowledged is as durable as Redis is told to make it: without `appendonly yes` a restart of
 * Redis loses what came last, and with a `maxmemory-policy` other than `noeviction` it drops what it likes.
 * While Redis is away `put` rejects at once, and everything goes on when it is back.
 *
 * Where BullMQ differs from the other inboxes:
 * - What a process handles is its own as long as it can renew its lock. A handler that blocks the event loop, or a Redis
 * that is away, for longer than `lockSeconds` has it handed over a second time while the first is still at it.
 * - The death of a process is noticed after up to one and a half times `lockSeconds`; then what it was handling waits for
 * its next attempt. That includes what `stop()` could not give back because Redis was away, and such an attempt
 * counts.
 * - A job's `progress` is the inbox's: it notes there which attempts no longer count.
 * - `list` gives finished entries in the order they were finished in, and waiting ones in the order they will be handled
 *   in. An `after` that has left the state is an `entry_not_found`.
 * - `keepCompletedSeconds` is best effort: what is too old goes when another one completes, not before.
 * - Pruning an entry within its `dedupeSeconds` ends that window.
 *
 * Needs Redis 6.2 or later, BullMQ 6 and ioredis 5.
 *
 * @throws TypeError for an option that is missing, unknown or out of range
 * @example
 * const inbox = createBullmqInbox({ connection: { host: '127.0.0.1', port: 6379 } })
 * const receiver = createReceiver({ clientId, inbox })
 * receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', async (event) => markPaid(event.data.id))
 * await receiver.start()
 */
export function createBullmqInbox(options: BullmqInboxOptions): Inbox {
  assertOptions(options, ['connection', 'queue', 'queueName', 'prefix', 'lockSeconds', ...INBOX_OPTIONS])
  const { connection, queue, queueName, prefix, lockSeconds, ...inboxOptions } = options
  const checked = checkInboxOptions(inboxOptions)
  const sessionOptions = { ...checked, lockMs: withinRange('lockSeconds', lockSeconds, 10, 1, 3_600) * 1_000 }
  const redis = openConnection({ connection, queue, queueName, prefix })
  let session: Session | undefined

  return createInbox({
    ...createEntries(redis),
    put: createPut(redis, checked),
    async start(consumer) {
      await redis.assertDriver()
      session = startSession(redis, consumer, sessionOptions)
    },
    stop: async () => await session?.stop(),
    close: () => redis.close(),
  })
}

type Place = Pick<BullmqInboxOptions, 'connection' | 'queue' | 'queueName' | 'prefix'>

function openConnection({ connection, queue, queueName, prefix }: Place): Connection {
  if ((connection === undefined) === (queue === undefined)) {
    throw new TypeError('"connection" option or "queue" option has to be given, and not both')
  }
  if (queue !== undefined) {
    if (queueName !== undefined || prefix !== undefined) {
      throw new TypeError('"queueName" and "prefix" options go with "connection"; a "queue" has its own')
    }
    if (typeof queue?.add !== 'function' || typeof queue.opts?.connection !== 'object') {
      throw new TypeError('"queue" option must be a Queue of BullMQ')
    }
    return connectionOf(queue)
  }
  if (prefix !== undefined && (typeof prefix !== 'string' || prefix === '')) {
    throw new TypeError('"prefix" option must be a string that is not empty')
  }
  return createConnection(toOptions(connection), checkQueueName(queueName ?? 'payhook'), prefix)
}

function toOptions(connection: Place['connection']): ConnectionOptions {
  const url = connection instanceof URL ? connection.href : connection
  if (typeof url === 'string' && /^rediss?:/.test(url) && URL.canParse(url)) return { url }
  if (typeof url === 'object' && url !== null && !Array.isArray(url)) return url
  throw new TypeError(
    '"connection" option must be a URL that begins with redis: or rediss:, or an object, as in { host: "127.0.0.1", port: 6379 }',
  )
}

function checkQueueName(name: string): string {
  if (typeof name === 'string' && name !== '' && !name.includes(':')) return name
  throw new TypeError('"queueName" option must be a string that is not empty and has no colon')
}

const LATE = new Error('late')

function createPut(
  { queue, reach, reset }: Connection,
  { dedupeSeconds }: CheckedInboxOptions,
): InboxEngine['put'] {
  // How often it is tried and what is kept is for the worker to say: what a queue of the user's has as its
  // defaults does not hold, and each option that a job carries costs a tenth of the puts per second.
  const defaults = Object.keys(queue.opts.defaultJobOptions ?? {})
  const noDefaults: object = Object.fromEntries(defaults.map((name) => [name, undefined]))
  const ttl = dedupeSeconds * 1_000
  /** A put that Redis has left unanswered: until it is settled, no further one is to pile up behind it. */
  let unanswered: Promise<unknown> | undefined

  function giveUpOn(adding: Promise<unknown>): Error {
    reset()
    unanswered ??= adding
    void adding
      .catch(() => {})
      .then(() => {
        if (unanswered === adding) unanswered = undefined
      })
    return new Error(`Redis did not answer within ${PUT_LIMIT_MS} ms.`)
  }

  async function answerTo<Answer>(adding: Promise<Answer>): Promise<Answer> {
    try {
      return await withTimeLimit(adding, PUT_LIMIT_MS, () => LATE)
    } catch (error) {
      if (error !== LATE) throw error
    }
    // When it was this process that was busy, the answer is there already, and read within a turn.
    const unread = await Promise.race([adding.then(() => false), nextTurn(true)])
    if (unread) throw giveUpOn(adding)
    return await adding
  }

  return async (notification) => {
    await reach()
    if (unanswered !== undefined) throw new Error('Redis does not answer.')
    const jobId = crypto.randomUUID()
    const options: JobsOptions = { ...noDefaults, jobId }
    if (ttl > 0) options.deduplication = { id: notification.deliveryId, ttl }
    const adding = queue.add(JOB_NAME, toStored(notification), options)
    const job = await answerTo(adding)
    return job.id === jobId ? 'stored' : 'duplicate'
  }
}
