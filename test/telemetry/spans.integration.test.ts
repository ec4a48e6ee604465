import { setTimeout as delay } from 'node:timers/promises'
import { context, ROOT_CONTEXT, SpanStatusCode } from '@opentelemetry/api'
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace'
import { describe, expect, it } from 'vitest'
import { instrument } from '../../adapters/telemetry/opentelemetry/opentelemetry.ts'
import { movePage } from '../../src/cli/commands/inbox/move.ts'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { createReceiver } from '../../src/index.ts'
import { describeOnEngines, TEST_INBOXES } from '../cli/test-inboxes.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { clientId, logger, notify } from './fixtures.ts'
import { createTelemetry, idOf, outline, useContexts } from './in-memory-telemetry.ts'

const notification = notify(48121)
const PAYMENT = { 'payhook.kind': 'INBOUND_PAYMENT_STATUS_UPDATED', 'payhook.subject': 'payment:48121' }
const MESSAGING = { 'messaging.system': 'payhook', 'messaging.destination.name': 'notifications' }

useContexts()

describe('without an inbox', () => {
  it('has process inside receive, and a span of the handler inside process', async () => {
    const { providers, spans } = createTelemetry()
    const tracer = providers.tracerProvider.getTracer('test')
    const receiver = instrument(createReceiver({ clientId, logger }), providers)
    receiver.onAny(() => tracer.startSpan('query').end())

    await tracer.startActiveSpan('POST', async (span) => {
      await receiver.receive(notification)
      span.end()
    })

    const [query, process, receive, post] = spans()
    expect([query, process, receive, post].map((span) => span && outline(span))).toEqual([
      expect.objectContaining({ name: 'query', parent: idOf(process) }),
      {
        name: 'process notifications',
        kind: 'CONSUMER',
        attributes: {
          ...MESSAGING,
          ...PAYMENT,
          'messaging.operation.name': 'process',
          'messaging.operation.type': 'process',
          'payhook.attempt': 1,
          'payhook.source': 'service',
          'payhook.outcome': 'completed',
        },
        parent: idOf(receive),
        links: [],
        status: SpanStatusCode.UNSET,
      },
      {
        name: 'receive notifications',
        kind: 'INTERNAL',
        attributes: { 'payhook.verdict': 'received' },
        parent: idOf(post),
        links: [],
        status: SpanStatusCode.UNSET,
      },
      expect.objectContaining({ name: 'POST', parent: undefined }),
    ])
  })

  it('marks process and receive as failed if a handler fails, without its message', async () => {
    const { providers, spansOf } = createTelemetry()
    const receiver = instrument(createReceiver({ clientId, logger }), providers)
    receiver.onAny(() => Promise.reject(Object.assign(new Error('of Jane Doe'), { code: '23505' })))

    await receiver.receive(notification)

    for (const [operation, errorType] of Object.entries({ process: '23505', receive: 'handler_failed' })) {
      expect(spansOf(operation)).toEqual([
        expect.objectContaining({
          status: { code: SpanStatusCode.ERROR },
          attributes: expect.objectContaining({ 'error.type': errorType }),
          events: [],
        }),
      ])
    }
  })

  it('does not mark receive as failed if the sender is wrong', async () => {
    const { providers, spans } = createTelemetry()
    const receiver = instrument(createReceiver({ clientId: 'another', logger }), providers)

    await receiver.receive(notification)

    expect(spans()).toEqual([
      expect.objectContaining({
        name: 'receive notifications',
        status: { code: SpanStatusCode.UNSET },
        attributes: { 'payhook.verdict': 'signature_mismatch' },
      }),
    ])
  })
})

await describeOnEngines('spans of an inbox', (createPlace) => {
  it('links every attempt to put, also after a failure, a move and a replay', async () => {
    const telemetry = createTelemetry()
    const tracer = telemetry.providers.tracerProvider.getTracer('test')
    const inbox = await createPlace().open({ maxAttempts: 2, retryDelayMs: 10 })
    const target = await TEST_INBOXES.sqlite().open()
    let isFailing = true
    const handle = async (of: Inbox) => {
      const receiver = createReceiver({ clientId, inbox: of, logger })
      instrument(receiver, telemetry.providers).onAny(async () => {
        await delay(1)
        tracer.startSpan('query').end()
        if (isFailing) throw new TypeError('no')
      })
      await receiver.start()
      return receiver
    }

    const receiver = await handle(inbox)
    await tracer.startActiveSpan('POST', async (span) => {
      await receiver.receive(notification)
      span.end()
    })
    const dead = await waitFor(async () => (await inbox.list({ state: 'dead' }))[0])
    await movePage(engineOf(inbox), engineOf(target), 'dead')
    const moved = await waitFor(async () => (await target.list({ state: 'dead' }))[0])
    isFailing = false
    await target.replay(moved.id)
    await handle(target)
    await waitFor(async () => (await target.counts()).completed)
    await waitFor(() => telemetry.spansOf('process').length === 3)

    const { spansOf } = telemetry
    const [put] = spansOf('put')
    const [receive] = spansOf('receive')
    expect(put && outline(put)).toEqual({
      name: 'put notifications',
      kind: 'PRODUCER',
      attributes: {
        ...MESSAGING,
        ...PAYMENT,
        'messaging.operation.name': 'put',
        'messaging.operation.type': 'send',
        'payhook.outcome': 'stored',
      },
      parent: idOf(receive),
      links: [],
      status: SpanStatusCode.UNSET,
    })
    expect(idOf(spansOf('POST')[0])).toBe(receive?.parentSpanContext?.spanId)
    const of = (number: number, outcome: string, id = dead.id) => ({
      ...{ name: 'process notifications', kind: 'CONSUMER', parent: undefined, links: [idOf(put)] },
      status: outcome === 'completed' ? SpanStatusCode.UNSET : SpanStatusCode.ERROR,
      attributes: expect.objectContaining({
        ...PAYMENT,
        'messaging.message.id': id,
        'payhook.attempt': number,
        'payhook.outcome': outcome,
      }),
    })
    expect(spansOf('process').map(outline)).toEqual([
      of(1, 'retry'),
      of(2, 'dead'),
      of(1, 'completed', moved.id),
    ])
    expect(spansOf('query').map((query) => query.parentSpanContext?.spanId)).toEqual(
      spansOf('process').map(idOf),
    )
    for (const process of spansOf('process')) {
      expect(process.spanContext().traceId).not.toBe(put?.spanContext().traceId)
    }
  })
})

it('stores the trace context only if the span is sampled', async () => {
  const inbox = await TEST_INBOXES.sqlite().open({ dedupeSeconds: 0 })
  const sampled = createTelemetry()
  const unsampled = createTelemetry(new AlwaysOffSampler())
  for (const { providers } of [sampled, unsampled]) {
    await instrument(createReceiver({ clientId, inbox, logger }), providers).receive(notification)
  }

  const [older, newer] = await inbox.list()
  const { traceId, spanId } = sampled.spansOf('put')[0]?.spanContext() ?? {}
  expect([older?.traceparent, newer?.traceparent]).toEqual([`00-${traceId}-${spanId}-01`, undefined])
  expect(unsampled.spans()).toEqual([])
})

it('marks put as failed if the inbox takes too long, with the code of its engine if there is one', async () => {
  const { providers, spansOf } = createTelemetry()
  const put = [
    () => new Promise<never>(() => {}),
    () =>
      Promise.reject(new Error('wrapped', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })),
  ]
  for (const fails of put) {
    const inbox = { put: fails, start: async () => {}, stop: async () => {} }
    const receiver = createReceiver({ clientId, inbox, inboxTimeoutMs: 10, logger })
    expect(await instrument(receiver, providers).receive(notification)).toMatchObject({ status: 503 })
  }

  expect(spansOf('put').map(({ attributes }) => attributes['error.type'])).toEqual(['Error', 'ECONNREFUSED'])
})

it('does not handle an entry in the context of the request that woke the worker', async () => {
  const { providers, spansOf } = createTelemetry()
  const inbox = await TEST_INBOXES.sqlite().open()
  const receiver = instrument(createReceiver({ clientId, inbox, logger }), providers)
  const seen = Promise.withResolvers<unknown>()
  const key = Symbol('baggage')
  receiver.onAny(() => seen.resolve(context.active().getValue(key)))

  await context.with(ROOT_CONTEXT.setValue(key, 'of another'), async () => {
    await receiver.start()
    await receiver.receive(notification)
  })

  expect(await seen.promise).toBeUndefined()
  const process = await waitFor(() => spansOf('process')[0])
  expect(process.parentSpanContext).toBeUndefined()
})
