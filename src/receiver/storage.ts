import { checkKey } from '../events/subject.ts'
import type { WebhookEvent } from '../events/webhook-event.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import type { ReceivedNotification, Webhook } from '../notification/open-notification.ts'
import { withTimeLimit } from '../time-limit.ts'
import { type Hooks, shortened } from './hooks.ts'
import { type ConsumerParts, createInboxConsumer, toInboxError } from './inbox-consumer.ts'
import { toPlainError } from './logger.ts'
import type { ReceiverInbox } from './receiver-inbox.ts'
import { DUPLICATE, RECEIVED, type Reply } from './reply.ts'
import { tracePut } from './tracing.ts'

const DUPLICATE_INTERVAL_MS = 60_000

interface Parts extends ConsumerParts {
  readonly inbox: ReceiverInbox
  readonly inboxTimeoutMs: number
  readonly concurrencyKey: ((event: WebhookEvent) => unknown) | undefined
}

/** Stores notifications in an inbox before the reply. */
export function createStorage(parts: Parts) {
  const { inbox, inboxTimeoutMs: limitMs, concurrencyKey, open, handlers, hooks, tracing } = parts
  const putInTime = (received: ReceivedNotification) => withTimeLimit(inbox.put(received), limitMs, tooSlow)
  const put = (received: ReceivedNotification) =>
    tracing.isOn('put') ? tracePut(tracing, received, putInTime) : putInTime(received)
  const withKey = concurrencyKey && createConcurrencyKeys(concurrencyKey, open, hooks)
  const consumer = createInboxConsumer(parts)
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
        outcome = await put(withKey?.(received) ?? received)
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
    async start(): Promise<void> {
      if (handlers.isEmpty()) {
        hooks.warn(
          'handlers_missing',
          'start() was called before any handler was added: notifications that arrive until then count as handled.',
        )
      }
      mayLackStart = false
      tracing.started()
      await inbox.start(consumer)
    },
    stop: () => inbox.stop(consumer),
  }
}

/** No notification is lost because the option fails: that is logged, and the key stays the subject. */
function createConcurrencyKeys(
  concurrencyKey: (event: WebhookEvent) => unknown,
  open: ConsumerParts['open'],
  hooks: Hooks,
): (received: ReceivedNotification) => ReceivedNotification {
  return (received) => {
    let webhook: Webhook | undefined
    try {
      webhook = open(received, 1)
      return { ...received, concurrencyKey: checkKey('concurrencyKey', concurrencyKey(webhook.event)) }
    } catch (error) {
      // The inbox gives up on it and says so.
      if (webhook === undefined && isPayhookError(error)) return received
      hooks.warn(
        'concurrency_key_invalid',
        'the "concurrencyKey" option failed, so the key of a notification is its subject',
        { signature: shortened(received.signature), error: toPlainError(error) },
      )
      return received
    }
  }
}
