import {
  type Attributes,
  type BatchObservableResult,
  type Meter,
  type MeterProvider,
  metrics,
} from '@opentelemetry/api'
import type { Inbox } from '../../../src/inbox/inbox.ts'
import type { Arounds } from '../../../src/receiver/tracing.ts'
import { metricAttributes } from './attributes.ts'

type InboxWithHealth = Pick<Inbox, 'health'>

/** In seconds, as the semantic conventions advise. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** The verdicts that alerts and silence are computed from. */
const ALERTING_VERDICTS = [
  ...['received', 'duplicate', 'callback_token_mismatch'],
  ...['signature_missing', 'signature_malformed', 'signature_mismatch'],
  ...['handler_failed', 'receiver_failed', 'body_consumed', 'inbox_unavailable', 'inbox_misconfigured'],
]

/**
 * @param given the provider; without one, the global provider at the time of each record, since one that is
 *   set later does not take over instruments that were created before
 */
export function createMetrics(given: MeterProvider | undefined, inbox: InboxWithHealth | undefined) {
  let provider: MeterProvider | undefined
  let instruments: Instruments | undefined
  let removeGauges: (() => void) | undefined
  // Only what the receiver runs holds this, so the gauges go with it, though other receivers have the inbox.
  const observed = inbox && { inbox }

  function use(): Instruments {
    const current = given ?? metrics.getMeterProvider()
    if (instruments !== undefined && current === provider) return instruments
    removeGauges?.()
    const meter = current.getMeter('payhook')
    instruments = createInstruments(meter)
    removeGauges = observed && createGauges(meter, observed)
    provider = current
    return instruments
  }

  const arounds: Arounds = {
    async receive(message, run) {
      await run()
      use().notifications.add(1, { 'payhook.verdict': message.verdict ?? 'unknown' })
    },
    async put(message, run) {
      const startedAt = performance.now()
      await run()
      const attributes = metricAttributes('put', message)
      const { operationDuration, sent } = use()
      operationDuration.record(secondsSince(startedAt), attributes)
      sent.add(1, attributes)
    },
    async process(message, run) {
      const { consumed, retries, missed } = use()
      const startedAt = performance.now()
      await run()
      const isAttempt = message.outcome !== 'deferred' && message.outcome !== 'returned'
      if (isAttempt && message.attempt > 1) retries.add(1)
      else if (isAttempt && message.source === 'reconcile') missed.add(1)
      const attributes = metricAttributes('process', message)
      use().processDuration.record(secondsSince(startedAt), attributes)
      consumed.add(1, attributes)
    },
  }

  return {
    ...arounds,
    /** Creates the gauges, which otherwise appear with the first notification. */
    prepare: () => void use(),
    dead: () => use().deaths.add(1),
    remove: () => removeGauges?.(),
  }
}

type Instruments = ReturnType<typeof createInstruments>

function createInstruments(meter: Meter) {
  const duration = (name: string, description: string) =>
    meter.createHistogram(name, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: BOUNDARIES },
    })
  /** A counter that starts at 0, so that its first increment shows as one. */
  const zero = (name: string, unit: string, description: string, series: Attributes[] = [{}]) => {
    const counter = meter.createCounter(name, { description, unit })
    for (const attributes of series) counter.add(0, attributes)
    return counter
  }
  return {
    operationDuration: duration(
      'messaging.client.operation.duration',
      'How long it took to store a notification.',
    ),
    processDuration: duration('messaging.process.duration', 'How long an attempt to handle took.'),
    sent: meter.createCounter('messaging.client.sent.messages', {
      description: 'Notifications that were passed to the inbox.',
      unit: '{message}',
    }),
    consumed: meter.createCounter('messaging.client.consumed.messages', {
      description: 'Attempts to handle a notification.',
      unit: '{message}',
    }),
    notifications: zero(
      'payhook.notifications',
      '{notification}',
      'Requests, by verdict: received, duplicate, or the code of the reply.',
      ALERTING_VERDICTS.map((verdict) => ({ 'payhook.verdict': verdict })),
    ),
    retries: zero('payhook.inbox.retries', '{attempt}', 'Attempts after the first.'),
    deaths: zero('payhook.inbox.deaths', '{entry}', 'Notifications that the inbox gave up on.'),
    missed: zero('payhook.reconcile.missed', '{notification}', 'Notifications that only reconcile found.'),
  }
}

/** Each collection reads the health once. @returns a function that removes the gauges */
function createGauges(meter: Meter, observed: { readonly inbox: InboxWithHealth }): () => void {
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
  // The provider lives on when the receiver is gone, as that of a tenant who left.
  const held = new WeakRef(observed)

  async function observe(result: BatchObservableResult): Promise<void> {
    const health = await held.deref()?.inbox.health()
    if (health === undefined) return remove()
    const { status, paused, waiting, active, dead, lastStoredAt } = health
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

  const remove = () => meter.removeBatchObservableCallback(observe, gauges)
  meter.addBatchObservableCallback(observe, gauges)
  return remove
}

const secondsSince = (time: number) => (performance.now() - time) / 1_000
