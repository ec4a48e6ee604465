import type { ReceivedNotification } from '../notification/open-notification.ts'
import { withTimeLimit } from '../time-limit.ts'
import type { Handlers } from './handlers.ts'
import { type Hooks, shortened } from './hooks.ts'
import { toInboxError } from './inbox-consumer.ts'
import type { InboxConsumer, ReceiverInbox } from './receiver-inbox.ts'
import { DUPLICATE, RECEIVED, type Reply } from './reply.ts'
import { traceConsumer, tracePut } from './traced-operations.ts'
import type { Tracing } from './tracing.ts'

const DUPLICATE_INTERVAL_MS = 60_000

interface Parts {
  readonly inbox: ReceiverInbox
  /** How long the inbox may take. */
  readonly limitMs: number
  readonly consumer: InboxConsumer
  readonly handlers: Handlers
  readonly hooks: Hooks
  readonly tracing: Tracing
}

/** Stores notifications in an inbox before the reply. */
export function createStorage({ inbox, limitMs, consumer, handlers, hooks, tracing }: Parts) {
  const putInTime = (received: ReceivedNotification) => withTimeLimit(inbox.put(received), limitMs, tooSlow)
  const put = (received: ReceivedNotification) =>
    tracing.isOn('put') ? tracePut(tracing, received, putInTime) : putInTime(received)
  const traced = traceConsumer(tracing, consumer)
  let mayLackStart = true
  let duplicateNotedAt = Number.NEGATIVE_INFINITY
  const tooSlow = () => new Error(`The inbox took longer than ${limitMs} ms ("inboxTimeoutMs").`)

  function noteDuplicate({ signature, receivedAt }: ReceivedNotification): void {
    if (receivedAt.getTime() - duplicateNotedAt < DUPLICATE_INTERVAL_MS) return
    duplicateNotedAt = receivedAt.getTime()
    hooks.note(
      'a duplicate was acknowledged, and is not handled again: the same body was stored within "dedupeSeconds" of the inbox',
      { code: 'duplicate', signature: shortened(signature) },
    )
  }

  return {
    /** Never rejects. */
    async store(received: ReceivedNotification): Promise<Reply> {
      let outcome: Awaited<ReturnType<ReceiverInbox['put']>>
      try {
        outcome = await put(received)
      } catch (cause) {
        // The inbox's own error is only the cause, so that it does not get into the reply.
        return await hooks.reportError(toInboxError('The notification could not be stored.', cause))
      }
      // A process without handlers only stores notifications, which needs no start().
      if (mayLackStart && !handlers.isEmpty()) {
        mayLackStart = false
        hooks.warn(
          'start_missing',
          'a notification was stored, but start() was not called: no handler runs in this process.',
        )
      }
      if (outcome !== 'duplicate') return RECEIVED
      noteDuplicate(received)
      return DUPLICATE
    },
    /** Starts handling what is stored. */
    async start(): Promise<void> {
      if (handlers.isEmpty()) {
        hooks.warn(
          'handlers_missing',
          'start() was called before any handler was added: notifications that arrive until then count as handled.',
        )
      }
      mayLackStart = false
      tracing.started()
      await inbox.start(traced)
    },
  }
}
