import { type Attributes, context, SpanKind } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll } from 'vitest'

class PulledReader extends MetricReader {
  protected override async onForceFlush() {}
  protected override async onShutdown() {}
}

/** Providers of the SDK that keep what they are told. */
export function createTelemetry(sampler?: Sampler) {
  const exporter = new InMemorySpanExporter()
  const processor = new SimpleSpanProcessor({ exporter })
  const tracerProvider = new TracerProvider({ spanProcessors: [processor], ...(sampler && { sampler }) })
  const reader = new PulledReader()
  const meterProvider = new MeterProvider({ readers: [reader] })

  return {
    providers: { tracerProvider, meterProvider },
    spans: () => exporter.getFinishedSpans(),
    /** The spans whose names begin with a word. */
    spansOf: (operation: string) =>
      exporter.getFinishedSpans().filter(({ name }) => name.startsWith(operation)),
    collect: () => reader.collect(),
    /** The values of the metrics, and the counts of the histograms, by name and attributes that tell. */
    async metrics(): Promise<Record<string, number>> {
      const { resourceMetrics } = await reader.collect()
      const points = resourceMetrics.scopeMetrics.flatMap(({ metrics }) =>
        metrics.flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => [
            `${descriptor.name}${tell(attributes)}`,
            typeof value === 'number' ? value : value.count,
          ]),
        ),
      )
      return Object.fromEntries(points)
    },
  }
}

/** The values of payhook's own attributes, and the error. */
function tell(attributes: Attributes): string {
  const own = Object.entries(attributes).filter(([name]) => /^(?:payhook|error)\./.test(name))
  return own.length === 0 ? '' : ` ${own.map(([, value]) => value).join(' ')}`
}

/** What matters of a span. */
export function outline({ name, kind, attributes, links, parentSpanContext, status }: ReadableSpan) {
  return {
    name,
    kind: SpanKind[kind],
    attributes,
    parent: parentSpanContext?.spanId,
    links: links.map(({ context: { spanId } }) => spanId),
    status: status.code,
  }
}

export const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId

/** Has the active context follow the calls of this file's tests. */
export function useContexts(): void {
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  })
  afterAll(() => context.disable())
}
