import { InboxError } from '../errors.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import type { InboxConsumer } from '../receiver/receiver-inbox.ts'
import { checkNotification } from './check-notification.ts'
import type { Inbox } from './inbox.ts'
import type { InboxEngine } from './inbox-engine.ts'
import {
  checkEntriesOptions,
  checkId,
  checkListOptions,
  checkPruneOptions,
  entryActive,
  entryNotFound,
  readEntries,
  replayDead,
} from './recovery.ts'

const engines = new WeakMap<Inbox, InboxEngine>()

/** Returns the engine of an inbox, for what its users have no method for. */
export function engineOf(inbox: Inbox): InboxEngine {
  const engine = engines.get(inbox)
  if (engine === undefined) throw new TypeError('it is not an inbox of this copy of payhook')
  return engine
}

/** Creates an inbox from an engine, with everything that all inboxes share. */
export function createInbox(engine: InboxEngine): Inbox {
  let consumer: InboxConsumer | undefined
  let closing: Promise<void> | undefined
  let changing: Promise<void> = Promise.resolve()

  /** Runs one `start` or `stop` at a time, in the order of the calls. */
  function inTurn(change: () => Promise<void>): Promise<void> {
    changing = changing.then(change, change)
    return changing
  }

  async function reach<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (closing !== undefined) throw new InboxError('inbox_unavailable', 'The inbox is closed.')
    try {
      return await ask()
    } catch (cause) {
      if (isPayhookError(cause) || cause instanceof TypeError) throw cause
      throw new InboxError('inbox_unavailable', 'The inbox engine failed; see the cause.', { cause })
    }
  }

  async function stop(): Promise<void> {
    if (consumer === undefined) return
    await engine.stop()
    consumer = undefined
  }

  async function close(): Promise<void> {
    try {
      await inTurn(stop)
    } finally {
      await engine.close()
    }
  }

  const inbox: Inbox = {
    put: (notification) => reach(() => engine.put(checkNotification(notification))),
    start: (starting) =>
      reach(() =>
        inTurn(async () => {
          if (consumer === starting) return
          if (consumer !== undefined) {
            throw new TypeError(
              'This inbox already delivers to another receiver; create one inbox for each receiver',
            )
          }
          await engine.start(starting)
          consumer = starting
        }),
      ),
    stop: () => inTurn(stop),
    counts: () => reach(() => engine.counts()),
    list: (options) =>
      reach(async () => {
        const { state, limit, after } = checkListOptions(options)
        return await engine.list(state, limit, after)
      }),
    get: (id) => reach(async () => await engine.get(checkId('id', id))),
    entries: (options) =>
      readEntries((...page) => reach(() => engine.list(...page)), checkEntriesOptions(options)),
    replay: (id) => reach(async () => await engine.replay(checkId('id', id))),
    replayDead: (options) => reach(() => replayDead(engine, options)),
    delete: (id) =>
      reach(async () => {
        if ((await engine.get(checkId('id', id))) === undefined) throw entryNotFound(id)
        if ((await engine.remove([id])) === 0) throw entryActive(id)
      }),
    prune: (options) =>
      reach(async () => {
        const { state, olderThan } = checkPruneOptions(options)
        return await engine.prune(state, olderThan)
      }),
    close() {
      closing ??= close()
      return closing
    },
    [Symbol.asyncDispose]: () => inbox.close(),
  }
  engines.set(inbox, engine)
  return inbox
}
