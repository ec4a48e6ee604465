import type { Inbox, InboxEntry, InboxState } from '../../src/inbox/inbox.ts'
import { createSigned } from '../contracts/signed-notification.ts'

const STATES: readonly InboxState[] = ['waiting', 'completed', 'dead']

/** Entries in all states, three with each body, as some arrive again after the window. */
export const ENTRIES: readonly InboxEntry[] = Array.from({ length: 150 }, (_, index) => {
  const state = STATES[index % 3] as InboxState
  const isFinished = state !== 'waiting'
  const id = `019b7ca4-b8ee-7000-8000-${String(index).padStart(12, '0')}`
  return {
    ...createSigned(index % 50),
    id,
    idempotencyKey: id,
    kind: null,
    state,
    attempts: isFinished ? 1 + (index % 19) : 0,
    error: state === 'dead' ? `Error: failure ${index}` : null,
    dueAt: null,
    startedAt: null,
    finishedAt: isFinished ? new Date() : null,
  }
})

/** What a move keeps of each entry, sorted. */
export async function readAll(inbox: Inbox): Promise<string[]> {
  return (await Array.fromAsync(inbox.entries(), comparable)).sort()
}

function comparable({ state, signature, receivedAt, rawBody, attempts, error }: InboxEntry): string {
  return [state, signature, receivedAt.getTime(), Buffer.from(rawBody).toString('hex'), attempts, error].join(
    ' ',
  )
}

export function total(counts: Record<InboxState, number>): number {
  return counts.waiting + counts.active + counts.completed + counts.dead
}
