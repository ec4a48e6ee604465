import {
  type Attributes,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import type { Arounds } from '../../../src/receiver/tracing.ts'
import { OPERATION } from './attributes.ts'

export function createSpans(provider: TracerProvider | undefined): Arounds {
  const tracer = (provider ?? trace).getTracer('payhook')

  return {
    async receive(message, run) {
      const span = tracer.startSpan('receive notifications')
      await context.with(trace.setSpan(context.active(), span), run)
      const { status = 500, verdict = 'unknown' } = message
      span.setAttribute('payhook.verdict', verdict)
      // As for any server, the mistakes of a sender are not its errors.
      end(span, status >= 500 ? verdict : undefined)
    },
    async put(message, run) {
      const attributes = { ...OPERATION.put, ...about(message) }
      const span = tracer.startSpan('put notifications', { kind: SpanKind.PRODUCER, attributes })
      const { traceId, spanId, traceFlags } = span.spanContext()
      if (traceFlags & TraceFlags.SAMPLED) message.traceparent = `00-${traceId}-${spanId}-01`
      await context.with(trace.setSpan(context.active(), span), run)
      if (message.outcome !== undefined) span.setAttribute('payhook.outcome', message.outcome)
      end(span, message.errorType)
    },
    async process(message, run) {
      const { entryId, attempt, source, traceparent } = message
      // A worker may run in the context of the request that woke it, which has nothing to do with this entry.
      const parent = entryId === undefined ? context.active() : ROOT_CONTEXT
      const attributes: Attributes = {
        ...OPERATION.process,
        ...about(message),
        ...(entryId !== undefined && { 'messaging.message.id': entryId }),
        'payhook.attempt': attempt,
        'payhook.source': source,
      }
      const options = { kind: SpanKind.CONSUMER, attributes, links: toLinks(traceparent) }
      const span = tracer.startSpan('process notifications', options, parent)
      await context.with(trace.setSpan(parent, span), run)
      if (message.outcome !== undefined) span.setAttribute('payhook.outcome', message.outcome)
      end(span, message.errorType)
    },
  }
}

function about({ kind, subject }: { kind: string | null; subject: string | null }): Attributes {
  return {
    ...(kind !== null && { 'payhook.kind': kind }),
    ...(subject !== null && { 'payhook.subject': subject }),
  }
}

/** An exception is not recorded: its message may contain personal data. */
function end(span: Span, errorType: string | undefined): void {
  if (errorType !== undefined) {
    span.setAttribute('error.type', errorType)
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}

function toLinks(traceparent: string | undefined): Link[] {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? []
  if (traceId === undefined || spanId === undefined) return []
  return [{ context: { traceId, spanId, traceFlags: Number(`0x${flags}`), isRemote: true } }]
}
