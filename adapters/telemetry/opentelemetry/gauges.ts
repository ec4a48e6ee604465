import type { BatchObservableResult, Meter } from '@opentelemetry/api'
import type { Inbox } from '../../../src/inbox/inbox.ts'

export type InboxWithHealth = Pick<Inbox, 'health'>

/** Each collection reads the health once. @returns a function that removes the gauges */
export function createGauges(meter: Meter, inbox: InboxWithHealth): () => void {
  const up = meter.createObservableGauge('payhook.inbox.up', {
    description: 'Whether the inbox is reachable: 1, or 0. While it is 0, the other gauges are not updated.',
  })
  const pause = meter.createObservableGauge('payhook.inbox.paused', {
    description: 'Whether the inbox is paused: 1, or 0.',
  })
  const entries = meter.createObservableGauge('payhook.inbox.entries', {
    description: 'Entries of the inbox that are not completed, by state.',
    unit: '{entry}',
  })
  const oldest = meter.createObservableGauge('payhook.inbox.oldest.age', {
    description: 'For how long the oldest entry has been due, or been handled; 0 if there is none.',
    unit: 's',
  })
  const lastReceived = meter.createObservableGauge('payhook.last_received.age', {
    description: 'The time since a notification was last stored. Missing if none ever was.',
    unit: 's',
  })
  const gauges = [up, pause, entries, oldest, lastReceived]

  async function observe(result: BatchObservableResult): Promise<void> {
    const { status, paused, waiting, active, dead, lastStoredAt } = await inbox.health()
    result.observe(up, status === 'fail' ? 0 : 1)
    if (status !== 'fail') result.observe(pause, paused === null ? 0 : 1)
    for (const [state, { count }] of Object.entries({ waiting, active, dead })) {
      if (count !== null) result.observe(entries, count, { 'payhook.state': state })
    }
    for (const [state, { count, oldestAgeMs }] of Object.entries({ waiting, active })) {
      if (count !== null) result.observe(oldest, (oldestAgeMs ?? 0) / 1_000, { 'payhook.state': state })
    }
    if (lastStoredAt !== null) {
      result.observe(lastReceived, Math.max(Date.now() - lastStoredAt.getTime(), 0) / 1_000)
    }
  }

  meter.addBatchObservableCallback(observe, gauges)
  return () => meter.removeBatchObservableCallback(observe, gauges)
}
