import { diag, type MeterProvider, type TracerProvider } from '@opentelemetry/api'
import type { Inbox } from '../../../src/inbox/inbox.ts'
import { type Checks, checkOptions, hasMethods, option, optional } from '../../../src/option-checks.ts'
import { type AnyReceiver, internalsOf } from '../../../src/receiver/receiver.ts'
import type { Around } from '../../../src/receiver/tracing.ts'
import { createMetrics } from './metrics.ts'
import { createSpans } from './spans.ts'

/** Options of {@link instrument}. */
export interface InstrumentOptions {
  /** Where the spans go. @default the global provider, also if it is set later */
  readonly tracerProvider?: TracerProvider | undefined
  /** Where the metrics go. @default the global provider, also if it is set later */
  readonly meterProvider?: MeterProvider | undefined
}

const OPTIONS = {
  tracerProvider: optional(option<TracerProvider>('a TracerProvider', hasMethods('getTracer'))),
  meterProvider: optional(option<MeterProvider>('a MeterProvider', hasMethods('getMeter'))),
} satisfies Checks<InstrumentOptions>

/**
 * Makes a receiver, and its inbox, report to OpenTelemetry: spans for each request, for storing a notification
 * and for handling it, and metrics, with the state of the inbox. What your handlers do is part of the span
 * `process`. It contains no body, client id, callback token or complete signature.
 *
 * A second call replaces the first. Telemetry that fails does not affect the receiver: the error goes to
 * OpenTelemetry's own log (`diag`).
 *
 * @returns the receiver
 * @throws TypeError if it is not a receiver of this copy of payhook, or if an option is invalid
 * @example
 * const receiver = instrument(createReceiver({ clientId, callbackToken, inbox }))
 */
export function instrument<Receiver extends AnyReceiver>(
  receiver: Receiver,
  options: InstrumentOptions = {},
): Receiver {
  const { tracerProvider, meterProvider } = checkOptions('instrument', options, OPTIONS)
  const { tracing, inbox } = internalsOf(receiver)
  const metrics = createMetrics(meterProvider, hasMethods('health')(inbox) ? (inbox as Inbox) : undefined)
  const spans = createSpans(tracerProvider)
  attempt(metrics.prepare)
  tracing.instrument({
    receive: around(metrics.receive, spans.receive),
    put: around(metrics.put, spans.put),
    process: around(metrics.process, spans.process),
    started: () => attempt(metrics.prepare),
    dead: () => attempt(metrics.dead),
    replaced: () => attempt(metrics.remove),
  })
  return receiver
}

function around<Message>(outer: Around<Message>, inner: Around<Message>): Around<Message> {
  return (message, run) => runOnce(outer, message, () => runOnce(inner, message, run))
}

/** Runs the operation even if a provider, or a processor of its own, throws. */
async function runOnce<Message>(around: Around<Message>, message: Message, run: () => Promise<void>) {
  let running: Promise<void> | undefined
  const once = () => (running ??= run())
  await around(message, once).catch(report)
  await once()
}

function attempt(call: () => void): void {
  try {
    call()
  } catch (error) {
    report(error)
  }
}

const report = (error: unknown) => diag.error('payhook: telemetry failed', error)
