import { randomUUID } from 'node:crypto'
import { Queue, type QueueOptions } from 'bullmq'
import { afterEach } from 'vitest'
import { type BullmqInboxOptions, createBullmqInbox } from '../../../../adapters/inbox/bullmq/bullmq-inbox.ts'
import type { Inbox } from '../../../../src/inbox/inbox.ts'
import { LONG_BULLMQ_LOCK_SECONDS } from '../../../contracts/open-inbox.ts'
import { hostAndPort, REDIS } from '../../../contracts/service.ts'
import { clearQueue } from './clear-queue.ts'

export const connection = hostAndPort(REDIS)

/** Queues and inboxes, which are closed and cleared after each test. */
export function useQueues() {
  const toClear: Queue[] = []
  const opened: Inbox[] = []

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((inbox) => inbox.close()))
    await Promise.all(toClear.splice(0).map(clearQueue))
  })

  function createQueue(options: Partial<QueueOptions> = {}): Queue {
    const queue = new Queue(`payhook-test-${randomUUID()}`, { connection, ...options })
    toClear.push(queue)
    return queue
  }

  function open(options: BullmqInboxOptions): Inbox {
    const inbox = createBullmqInbox({
      retryDelayMs: 10,
      lockSeconds: LONG_BULLMQ_LOCK_SECONDS,
      ...options,
    })
    opened.push(inbox)
    return inbox
  }

  function openQueue(options: Partial<BullmqInboxOptions> = {}) {
    const queue = createQueue()
    return { queue, inbox: open({ connection, queueName: queue.name, ...options }) }
  }
  return { createQueue, open, openQueue }
}
