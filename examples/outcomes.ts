import { setTimeout as delay } from 'node:timers/promises'
import type { Receiver, WebhookEvent } from '../src/index.ts'
import type { LedgerTransaction } from './ledger.ts'

/** How a notification was handled. */
export interface Outcome {
  readonly event: WebhookEvent
  readonly times: number
  /** When its handler began and ended, in milliseconds of `performance.now()`. */
  readonly beganAt: number
  readonly endedAt: number
  /** Whether nothing else about its subject was being handled when it began. */
  readonly alone: boolean
}

/** How long handlers work, in milliseconds. */
const WORK_MS = 50

/** Handles all notifications of a receiver. Returns what it handled, by `signature`. */
export function createOutcomes(
  receiver: Receiver<Record<never, never>, LedgerTransaction>,
): ReadonlyMap<string, Outcome> {
  const outcomes = new Map<string, Outcome>()
  const busy = new Set<string>()

  receiver.onAny(async (event, { signature, subject, tx }) => {
    const beganAt = performance.now()
    const about = subject ?? signature
    const alone = !busy.has(about)
    busy.add(about)
    await delay(WORK_MS)
    tx.push(signature)
    busy.delete(about)
    const times = (outcomes.get(signature)?.times ?? 0) + 1
    outcomes.set(signature, { event, times, beganAt, endedAt: performance.now(), alone })
  })
  return outcomes
}
