import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DiagLogLevel, diag, metrics as globalMetrics, trace } from '@opentelemetry/api'
import { DataPointType } from '@opentelemetry/sdk-metrics'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { instrument } from '../../adapters/telemetry/opentelemetry/opentelemetry.ts'
import { createReceiver, RetryAfterError, reconcile } from '../../src/index.ts'
import { TEST_INBOXES } from '../cli/test-inboxes.ts'
import { throwing } from '../contracts/throwing.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { clientId, logger, notify } from './fixtures.ts'
import { createTelemetry } from './in-memory-telemetry.ts'

afterEach(() => {
  trace.disable()
  globalMetrics.disable()
})

it('counts requests by verdict, attempts, retries and deaths, and what reconcile found', async () => {
  const { providers, metrics } = createTelemetry()
  const inbox = await TEST_INBOXES.sqlite().open({ maxAttempts: 2, retryDelayMs: 1 })
  const receiver = instrument(createReceiver({ clientId, inbox, logger }), providers)
  let isKnown = false
  receiver.onAny((_event, { subject }) => {
    if (subject === 'payment:2') throw new TypeError('always')
    if (subject !== 'payment:3' || isKnown) return
    isKnown = true
    // Not an attempt, so it is counted once.
    throw new RetryAfterError('not yet', { afterMs: 1 })
  })
  await receiver.receive(notify(1))
  await receiver.receive(notify(1))
  await receiver.receive(notify(2))
  await receiver.receive({ ...notify(3), headers: {} })
  await reconcile({
    ...{ inbox, clientId, graceMs: 0 },
    list: (async function* () {
      yield { kind: 'INBOUND_PAYMENT_STATUS_UPDATED', data: { id: '3', status: 'Complete' } } as const
    })(),
  })
  await receiver.start()
  await waitFor(async () => (await inbox.counts()).completed === 2 && (await inbox.counts()).dead === 1)
  await receiver.stop()

  const { 'payhook.last_received.age': age, ...rest } = await metrics()
  expect(age).toBeLessThan(60)
  expect(rest).toEqual({
    'messaging.client.operation.duration': 3,
    'messaging.client.sent.messages': 3,
    'messaging.client.consumed.messages': 3,
    'messaging.client.consumed.messages TypeError': 2,
    'messaging.process.duration': 3,
    'messaging.process.duration TypeError': 2,
    'payhook.notifications received': 2,
    'payhook.notifications duplicate': 1,
    'payhook.notifications signature_missing': 1,
    'payhook.notifications signature_malformed': 0,
    'payhook.notifications signature_mismatch': 0,
    'payhook.notifications callback_token_mismatch': 0,
    'payhook.notifications handler_failed': 0,
    'payhook.notifications receiver_failed': 0,
    'payhook.notifications body_consumed': 0,
    'payhook.notifications inbox_unavailable': 0,
    'payhook.notifications inbox_misconfigured': 0,
    'payhook.inbox.up': 1,
    'payhook.inbox.paused': 0,
    'payhook.inbox.entries waiting': 0,
    'payhook.inbox.entries active': 0,
    'payhook.inbox.entries dead': 1,
    'payhook.inbox.oldest.age waiting': 0,
    'payhook.inbox.oldest.age active': 0,
    'payhook.inbox.retries': 1,
    'payhook.inbox.deaths': 1,
    'payhook.reconcile.missed': 1,
  })
})

it('keeps the number of time series small if every error has a code of its own', async () => {
  const { providers, metrics } = createTelemetry()
  const receiver = instrument(createReceiver({ clientId, logger }), providers)
  receiver.onAny((_event, { subject }) => {
    throw Object.assign(new Error('no stock'), { code: subject?.replace(':', '_') })
  })
  for (let id = 1; id <= 150; id++) await receiver.receive(notify(id))
  const consumed = Object.entries(await metrics()).filter(([name]) => name.includes('consumed'))
  expect(consumed.length).toBeLessThanOrEqual(101)
  expect(Object.fromEntries(consumed)['messaging.client.consumed.messages _OTHER']).toBeGreaterThanOrEqual(50)
})

it('has the names, units, bounds and attributes of the documentation', async () => {
  const { providers, collect } = createTelemetry()
  const inbox = await TEST_INBOXES.sqlite().open()
  const receiver = instrument(createReceiver({ clientId, inbox, logger }), providers)
  receiver.onAny(() => {})
  await receiver.start()
  await receiver.receive(notify(1))
  await waitFor(async () => (await inbox.counts()).completed)
  await receiver.stop()

  const { resourceMetrics } = await collect()
  const [scope] = resourceMetrics.scopeMetrics
  expect(scope?.scope.name).toBe('payhook')
  const found = scope?.metrics.map(({ descriptor: { name, unit }, dataPointType, dataPoints }) => {
    const attributes = Object.keys(Object.assign({}, ...dataPoints.map((point) => point.attributes)))
    const { buckets } = Object(dataPoints[0]?.value)
    return [name, DataPointType[dataPointType], unit, attributes.join(), buckets?.boundaries.join()]
  })
  const messaging =
    'messaging.system,messaging.destination.name,messaging.operation.name,messaging.operation.type'
  const bounds = '0.005,0.01,0.025,0.05,0.075,0.1,0.25,0.5,0.75,1,2.5,5,7.5,10'
  const none = undefined
  expect(found).toEqual([
    ['messaging.client.operation.duration', 'HISTOGRAM', 's', messaging, bounds],
    ['messaging.process.duration', 'HISTOGRAM', 's', messaging, bounds],
    ['messaging.client.sent.messages', 'SUM', '{message}', messaging, none],
    ['messaging.client.consumed.messages', 'SUM', '{message}', messaging, none],
    ['payhook.notifications', 'SUM', '{notification}', 'payhook.verdict', none],
    ['payhook.inbox.retries', 'SUM', '{attempt}', '', none],
    ['payhook.inbox.deaths', 'SUM', '{entry}', '', none],
    ['payhook.reconcile.missed', 'SUM', '{notification}', '', none],
    ['payhook.inbox.up', 'GAUGE', '', '', none],
    ['payhook.inbox.paused', 'GAUGE', '', '', none],
    ['payhook.inbox.entries', 'GAUGE', '{entry}', 'payhook.state', none],
    ['payhook.inbox.oldest.age', 'GAUGE', 's', 'payhook.state', none],
    ['payhook.last_received.age', 'GAUGE', 's', '', none],
  ])
})

const busy = {
  ...{ status: 'pass', paused: null, dead: { count: 2 }, lastStoredAt: null },
  ...{ waiting: { count: 3, oldestAgeMs: 2_500 }, active: { count: 1, oldestAgeMs: null } },
}
const unknown = { count: null, oldestAgeMs: null }
const numbers = {
  'payhook.inbox.entries waiting': 3,
  'payhook.inbox.entries active': 1,
  'payhook.inbox.entries dead': 2,
  'payhook.inbox.oldest.age waiting': 2.5,
  'payhook.inbox.oldest.age active': 0,
}

it.each<[string, object, object]>([
  ['that handles', {}, { 'payhook.inbox.up': 1, 'payhook.inbox.paused': 0, ...numbers }],
  [
    'that is paused',
    { status: 'warn', paused: { since: new Date(), reason: 'bad deploy' } },
    { 'payhook.inbox.up': 1, 'payhook.inbox.paused': 1, ...numbers },
  ],
  [
    'that is out of reach',
    { status: 'fail', waiting: unknown, active: unknown, dead: unknown },
    { 'payhook.inbox.up': 0 },
  ],
])('shows an inbox %s', async (_name, changes, expected) => {
  const { providers, metrics } = createTelemetry()
  const inbox = { put() {}, start() {}, stop() {}, health: async () => ({ ...busy, ...changes }) }
  instrument(createReceiver({ clientId, inbox: inbox as never, logger }), providers)
  const found = Object.entries(await metrics()).filter(([name]) =>
    /inbox.(?:up|paused|entries|oldest)/.test(name),
  )
  expect(Object.fromEntries(found)).toEqual(expected)
})

it.each(['start()', 'a notification'])(
  'uses global providers that are set later, from %s on',
  async (when) => {
    const inbox = await TEST_INBOXES.sqlite().open()
    const receiver = instrument(createReceiver({ clientId, inbox, logger }))
    await receiver.receive(notify(1))
    const { providers, metrics, spansOf } = createTelemetry()
    trace.setGlobalTracerProvider(providers.tracerProvider)
    globalMetrics.setGlobalMeterProvider(providers.meterProvider)

    if (when === 'start()') await receiver.start()
    else await receiver.receive(notify(2))

    expect(await metrics()).toMatchObject({
      'payhook.inbox.up': 1,
      ...(when !== 'start()' && { 'payhook.notifications received': 1 }),
    })
    if (when !== 'start()') expect(spansOf('receive')).toHaveLength(1)
  },
)

it('replaces what an earlier call made', async () => {
  const [first, second] = [createTelemetry(), createTelemetry()]
  const inbox = await TEST_INBOXES.sqlite().open()
  const receiver = createReceiver({ clientId, inbox, logger })
  expect(instrument(receiver, first.providers)).toBe(receiver)
  expect((await first.metrics())['payhook.inbox.up']).toBe(1)

  expect(instrument(receiver, second.providers)).toBe(receiver)
  await receiver.receive(notify(1))

  expect(first.spans()).toEqual([])
  expect(second.spansOf('receive')).toHaveLength(1)
  // The SDK goes on showing a gauge that is gone.
  expect((await first.metrics())['payhook.inbox.entries waiting']).toBe(0)
  expect((await second.metrics())['payhook.inbox.entries waiting']).toBe(1)
})

it.each(['an inbox', 'a receiver'])('does not keep %s that is no longer used', async (what) => {
  const { providers, metrics } = createTelemetry()
  const health = vi.fn(async () => busy)
  const createInbox = () =>
    ({ put: async () => 'stored', start: async () => {}, stop: async () => {}, health }) as never
  const shared = createInbox()
  const use = () => {
    const inbox = what === 'an inbox' ? createInbox() : shared
    const receiver = instrument(createReceiver({ clientId, inbox, logger }), providers)
    return new WeakRef<object>(what === 'an inbox' ? inbox : receiver)
  }
  const used = use()
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  await waitFor(() => {
    collect()
    return used.deref() === undefined
  })
  await metrics()
  expect(health).not.toHaveBeenCalled()
})

it.each(['tracerProvider', 'meterProvider'] as const)('works on if the %s throws', async (name) => {
  const { providers, spans, metrics } = createTelemetry()
  const error = vi.fn()
  diag.setLogger({ error, warn() {}, info() {}, debug() {}, verbose() {} }, DiagLogLevel.ERROR)
  onTestFinished(() => diag.disable())
  const fail = throwing(new Error('of the provider'))
  const broken = {
    tracerProvider: { getTracer: () => ({ startSpan: fail, startActiveSpan: fail }) },
    meterProvider: { getMeter: fail },
  }
  const inbox = await TEST_INBOXES.sqlite().open({ maxAttempts: 1 })
  const receiver = createReceiver({ clientId, inbox, logger })
  instrument(receiver, { ...providers, [name]: broken[name] })
  const handler = vi.fn(() => Promise.reject(new Error('of the handler')))
  receiver.onAny(handler)
  await receiver.start()

  expect(await receiver.receive(notify(1))).toMatchObject({ status: 200 })
  await waitFor(async () => (await inbox.counts()).dead)

  expect(handler).toHaveBeenCalledOnce()
  expect(error).toHaveBeenCalled()
  if (name === 'tracerProvider') expect(await metrics()).toMatchObject({ 'payhook.inbox.deaths': 1 })
  else await waitFor(() => spans().length === 3)
})

it.each([
  [{ tracerProvider: {} }, '"tracerProvider" option must be a TracerProvider'],
  [{ meterProvider: null }, '"meterProvider" option must be a MeterProvider'],
  [{ provider: {} }, '"provider" is not an option'],
])('rejects the options %j', (options, message) => {
  const receiver = createReceiver({ clientId })
  expect(() => instrument(receiver, options as never)).toThrow(message)
  expect(() => instrument({ receive: receiver.receive })).toThrow('not created by this copy')
})
