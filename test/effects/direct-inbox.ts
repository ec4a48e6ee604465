import { vi } from 'vitest'
import type { NoKinds } from '../../src/events/kind-schemas.ts'
import {
  createReceiver,
  type InboxConsumer,
  type InboxDelivery,
  type ReceiverInbox,
  type ReceiverOptions,
} from '../../src/index.ts'
import { createSigned } from '../contracts/signed-notification.ts'

/**
 * An inbox that stores nothing: a test makes the attempts itself, so that it decides which of them are
 * recorded.
 */
export function createDirectInbox() {
  let consumer: InboxConsumer | undefined
  const inbox: ReceiverInbox = {
    oneAtATime: true,
    put: () => Promise.reject(new Error('stores nothing')),
    start: async (given) => {
      consumer = given
    },
    stop: async () => {},
  }
  function started(): InboxConsumer {
    if (consumer === undefined) throw new Error('the receiver was not started')
    return consumer
  }
  return {
    inbox,
    consumer: started,
    /** Makes an attempt at handling an entry. Rejects if it failed. */
    async attempt(id = '1', overrides: Partial<InboxDelivery> = {}): Promise<void> {
      const { signal } = new AbortController()
      const entry = { id, idempotencyKey: `key-of-${id}`, attempt: 1, retryDelayMs: 1_000, signal }
      await started().handle({ ...createSigned(id), ...entry, ...overrides })
    },
  }
}

/** A receiver with such an inbox, its log, and what starts it and makes its attempts. */
export function createDirectReceiver<Tx = undefined, Current = undefined>(
  options: Partial<ReceiverOptions<NoKinds, Tx, Current>> = {},
) {
  const { inbox, attempt } = createDirectInbox()
  const logged = vi.fn()
  const logger = { warn: logged, error: logged }
  const clientId = 'payhook-demo-client'
  const receiver = createReceiver({ clientId, callbackToken: false, logger, ...options, inbox })
  const startAndAttempt: typeof attempt = (...args) => receiver.start().then(() => attempt(...args))
  return { receiver, attempt: startAndAttempt, logged }
}
