import { tracingChannel } from 'node:diagnostics_channel'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { receiveWebhooks } from '../../../adapters/http/node.ts'
import { createSqliteInbox } from '../../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { instrument } from '../../../adapters/telemetry/opentelemetry/opentelemetry.ts'
import type { AnyReceiver } from '../../../src/receiver/receiver.ts'
import { createFolder } from './node-http-inbox.ts'
import { createBenchReceiver } from './payhook-receiver.ts'

export type Telemetry = keyof typeof TELEMETRY

/** The server of another checkout of the repository. */
export async function payhookOf(checkout: string, hasInbox: boolean): Promise<Server> {
  const { payhook } = await import(
    join(checkout, `bench/http/servers/node-http${hasInbox ? '-inbox' : ''}.ts`)
  )
  return await payhook(true)
}

export async function payhook(telemetry: Telemetry, hasInbox: boolean): Promise<Server> {
  const inbox = hasInbox ? createSqliteInbox({ path: join(createFolder(), 'inbox.db') }) : undefined
  const receiver = createBenchReceiver(inbox)
  TELEMETRY[telemetry](receiver)
  await receiver.start()
  return createServer(receiveWebhooks(receiver))
}

const TELEMETRY = {
  off() {},
  'a subscriber of each channel'() {
    for (const name of ['receive', 'put', 'process']) {
      const count = () => {}
      const subscribers = { start: count, end: count, asyncStart: count, asyncEnd: count, error: count }
      tracingChannel(`payhook:${name}`).subscribe(subscribers)
    }
  },
  'OpenTelemetry, 0 % sampled': (receiver) => useSdk(receiver, new AlwaysOffSampler()),
  'OpenTelemetry, 100 % sampled': (receiver) => useSdk(receiver, new AlwaysOnSampler()),
} satisfies Record<string, (receiver: AnyReceiver) => void>

class IdleReader extends MetricReader {
  protected override async onForceFlush() {}
  protected override async onShutdown() {}
}

/** Spans and metrics as in production, except that nothing is sent. */
function useSdk(receiver: AnyReceiver, sampler: AlwaysOnSampler | AlwaysOffSampler): void {
  const exporter: SpanExporter = { export: (_spans, done) => done({ code: 0 }), async shutdown() {} }
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize: 100_000 })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  instrument(receiver, {
    tracerProvider: new TracerProvider({ spanProcessors: [processor], sampler }),
    meterProvider: new MeterProvider({ readers: [new IdleReader()] }),
  })
}
