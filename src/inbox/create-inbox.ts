import { createLocks } from '../create-locks.ts'
import { InboxError } from '../errors.ts'
import { isSubject, readSubject } from '../events/subject.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { isTraceparent, type SignedNotification } from '../notification/signed-notification.ts'
import { type Checks, checkOptions, date, integer, oneOf, optional, text } from '../option-checks.ts'
import type { InboxConsumer, InboxNotification } from '../receiver/receiver-inbox.ts'
import { isEntryId } from './entry-ids.ts'
import { entryActive, entryNotFound, STATES, SUBJECT } from './entry-rules.ts'
import { forget } from './forget.ts'
import { createHealth } from './health.ts'
import type { EntriesOptions, Inbox, ListOptions, PruneOptions } from './inbox.ts'
import type { InboxEngine } from './inbox-engine.ts'
import { listAll, PAGE, readEntries, readPages } from './pages.ts'
import { replayAll } from './replay-all.ts'

const ENTRIES_OPTIONS = { state: optional(oneOf(STATES)), subject: SUBJECT } satisfies Checks<EntriesOptions>

const LIST_OPTIONS = {
  ...ENTRIES_OPTIONS,
  limit: integer(1, 1_000, PAGE),
  after: optional(text()),
} satisfies Checks<ListOptions>

const PRUNE_OPTIONS = {
  olderThan: date('a valid Date, as in new Date(Date.now() - 7 * 86_400_000)'),
  // Unfinished entries are never pruned.
  state: oneOf(['completed', 'dead'], 'completed'),
} satisfies Checks<PruneOptions>

const engines = new WeakMap<Inbox, InboxEngine>()

/** For `inbox move`, which needs more than the public interface. */
export function engineOf(inbox: Inbox): InboxEngine {
  const engine = engines.get(inbox)
  if (engine === undefined) throw new TypeError('The inbox was not created by this copy of payhook')
  return engine
}

/** Creates an inbox from an engine, with everything that all inboxes share. */
export function createInbox(engine: InboxEngine): Inbox {
  const { start, stop } = createDelivery(engine)
  let closing: Promise<void> | undefined

  async function reach<Result>(call: () => Promise<Result>): Promise<Result> {
    if (closing !== undefined) throw new InboxError('inbox_unavailable', 'The inbox is closed.')
    try {
      return await call()
    } catch (cause) {
      if (isPayhookError(cause) || cause instanceof TypeError) throw cause
      throw new InboxError('inbox_unavailable', 'The inbox engine failed.', { cause })
    }
  }

  async function close(): Promise<void> {
    try {
      await stop()
    } finally {
      await engine.close()
    }
  }

  const inbox: Inbox = {
    keepCompletedSeconds: engine.keepCompletedSeconds,
    oneAtATime: engine.oneAtATime,
    put: (notification) => reach(() => engine.put(checkNotification(notification))),
    start: (starting) => reach(() => start(starting)),
    stop,
    counts: () => reach(() => engine.counts()),
    health: createHealth(() => reach(() => engine.health())),
    list: (options = {}) =>
      reach(async () => {
        const { state, subject, limit, after } = checkOptions('list', options, LIST_OPTIONS)
        if (subject !== undefined) return await engine.find(subject, state, limit, after)
        if (state !== undefined) return await engine.list(state, limit, after)
        return await listAll(engine, limit, after)
      }),
    get: (id) => reach(async () => await engine.get(checkId(id))),
    entries(options = {}) {
      const { state, subject } = checkOptions('entries', options, ENTRIES_OPTIONS)
      if (subject !== undefined)
        return readPages((limit, after) => reach(() => engine.find(subject, state, limit, after)))
      return readEntries(
        (...page) => reach(() => engine.list(...page)),
        state === undefined ? STATES : [state],
        // A loop that replays what fails again at once must end.
        engine.listsByFinish &&
          (async (one) => (one === 'dead' || one === 'completed' ? (await inbox.counts())[one] : Infinity)),
      )
    },
    replay: (id) => reach(() => replay(engine, checkId(id))),
    replayAll: (filter, options) => reach(() => replayAll(engine, filter, options)),
    pause: (reason) => reach(() => engine.pause(checkReason(reason))),
    resume: () => reach(() => engine.resume()),
    delete: (id) =>
      reach(async () => {
        // Asked first, as BullMQ takes any of its keys for a job to remove.
        const isThere = async () => (await engine.get(checkId(id))) !== undefined
        if ((await isThere()) && (await engine.remove([id])) > 0) return
        throw (await isThere()) ? entryActive(id) : entryNotFound(id)
      }),
    prune: (options) =>
      reach(async () => {
        const { state, olderThan } = checkOptions('prune', options, PRUNE_OPTIONS)
        return await engine.prune(state, olderThan)
      }),
    forget: (options) => forget(inbox, options),
    close() {
      closing ??= close()
      return closing
    },
    [Symbol.asyncDispose]: () => inbox.close(),
  }
  engines.set(inbox, engine)
  return inbox
}

/** Starts and stops the engine, one call after the other. */
function createDelivery(engine: InboxEngine): Pick<Inbox, 'start' | 'stop'> {
  let consumer: InboxConsumer | undefined
  const lock = createLocks()

  return {
    start: (starting) =>
      lock('consumer', async () => {
        if (consumer === starting) return
        if (consumer !== undefined)
          throw new TypeError(
            'This inbox already delivers to another receiver. Start only one, with the handlers of all that share it.',
          )
        await engine.start(starting)
        consumer = starting
      }),
    stop: (only) =>
      lock('consumer', async () => {
        if (consumer === undefined || (only !== undefined && only !== consumer)) return
        await engine.stop()
        consumer = undefined
      }),
  }
}

/** How often a replay tries again if the entry changes its state meanwhile. */
const TRIES = 3

async function replay(engine: InboxEngine, id: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { state } = (await engine.get(id)) ?? {}
    if (state === undefined) throw entryNotFound(id)
    // Handled since the call, as by the replay of another one: not once more.
    if (state === 'completed' && tries > 0) return
    if (state !== 'active' && (await engine.restart(state, [{ id, dueAt: undefined }])) > 0) return
  }
  throw entryActive(id)
}

function checkId(id: string): string {
  if (typeof id === 'string' && id !== '') return id
  throw new TypeError('"id" must be the id of an entry, as list() returns it')
}

function checkReason(reason: string): string {
  if (isSubject(reason)) return reason
  throw new TypeError('"reason" must be 1 to 200 characters without NUL and lone surrogates')
}

/**
 * A notification from a receiver always passes. A notification that an application builds itself may be
 * invalid, and would fail the other puts in its transaction. A key that is the subject is left out.
 */
function checkNotification(notification: SignedNotification): InboxNotification {
  const { signature, clientId, receivedAt, rawBody, source = 'service', traceparent, id } = notification
  const { subject = readSubject(rawBody) } = notification
  const { concurrencyKey = subject } = notification
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature))
    throw new TypeError('"signature" must be 64 lowercase hex digits')
  // PostgreSQL cannot store these.
  if (typeof clientId !== 'string' || !clientId.isWellFormed() || clientId.includes('\0'))
    throw new TypeError('"clientId" must be a string without NUL characters and lone surrogates')
  if (!(receivedAt instanceof Date) || Number.isNaN(receivedAt.getTime()))
    throw new TypeError('"receivedAt" must be a valid Date')
  // instanceof alone accepts Object.create(Uint8Array.prototype).
  if (!(ArrayBuffer.isView(rawBody) && rawBody instanceof Uint8Array))
    throw new TypeError('"rawBody" must be a Uint8Array: the exact bytes that arrived')
  for (const [name, key] of Object.entries({ subject, concurrencyKey }))
    if (key !== null && !isSubject(key))
      throw new TypeError(`"${name}" must be null, or 1 to 200 characters without NUL and lone surrogates`)
  if (source !== 'service' && source !== 'reconcile')
    throw new TypeError("\"source\" must be 'service' or 'reconcile'")
  if (traceparent !== undefined && !isTraceparent(traceparent))
    throw new TypeError('"traceparent" must be a W3C trace context, such as 00-<32 hex>-<16 hex>-01')
  if (id !== undefined && !isEntryId(id))
    throw new TypeError('"id" must be a UUID of version 7 in lower case')
  return {
    signature,
    clientId,
    receivedAt,
    rawBody,
    subject,
    source,
    ...(traceparent && { traceparent }),
    ...(concurrencyKey !== subject && { concurrencyKey }),
    ...(id && { id }),
  }
}
