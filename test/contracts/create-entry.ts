import type { InboxEntry, InboxState } from '../../src/inbox/inbox.ts'
import type { InboxNotification } from '../../src/index.ts'

/** An entry as another inbox has it. */
export function createEntry(
  number: string,
  state: InboxState,
  notification: InboxNotification,
  changes: Partial<InboxEntry> = {},
): InboxEntry {
  const id = `019b7ca4-b8ee-7000-8000-${number.padStart(12, '0')}`
  const isFinished = state === 'completed' || state === 'dead'
  return {
    ...notification,
    receivedAt: new Date('2026-01-02T03:04:05.678Z'),
    id,
    idempotencyKey: id,
    kind: 'INBOUND_PAYMENT_STATUS_UPDATED',
    state,
    attempts: isFinished ? 1 : 0,
    error: null,
    dueAt: isFinished ? null : new Date(),
    startedAt: null,
    finishedAt: isFinished ? new Date() : null,
    ...changes,
  }
}
