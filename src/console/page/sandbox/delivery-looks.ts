import type { IconName, Tone } from '../parts/icons.tsx'
import type { DeliverySummary } from './control-answers.ts'

export const STATES = ['pending', 'delivered', 'failed', 'dropped', 'cancelled'] as const

export const LOOKS: Record<DeliverySummary['state'], { label: string; tone: Tone; icon: IconName }> = {
  pending: { label: 'Pending', tone: 'warn', icon: 'clock' },
  delivered: { label: 'Delivered', tone: 'ok', icon: 'check' },
  failed: { label: 'Failed', tone: 'bad', icon: 'cross' },
  dropped: { label: 'Dropped', tone: 'soft', icon: 'minus' },
  cancelled: { label: 'Cancelled', tone: 'soft', icon: 'minus' },
}

/** The outcome in a few words: "200 in 12 ms", "401, attempt 2". */
export function outcome({ state, attempts }: DeliverySummary): string {
  const last = attempts.at(-1)
  if (!last) return LOOKS[state].label
  const answer = last.status === undefined ? shortError(last.error) : String(last.status)
  return attempts.length > 1 ? `${answer}, ${attempts.length} attempts` : answer
}

function shortError(error = 'no answer'): string {
  return /\bE[A-Z_]{4,}\b/.exec(error)?.[0] ?? (/time/i.test(error) ? 'timed out' : 'no answer')
}
