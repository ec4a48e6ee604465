import { causesOf } from '../cause-of.ts'
import { readKind } from '../events/read-envelope.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import type { ReceivedNotification, Webhook } from '../notification/open-notification.ts'
import { isTraceparent } from '../notification/signed-notification.ts'
import type { WebhookRequest } from '../verification/webhook-request.ts'
import { isDeferral } from './deferral.ts'
import type { Handlers } from './handlers.ts'
import { limited } from './logger.ts'
import type { InboxConsumer, InboxDelivery, ReceiverInbox } from './receiver-inbox.ts'
import { DUPLICATE, RECEIVED, type Reply } from './reply.ts'
import type { ProcessMessage, PutMessage, ReceiveMessage } from './tracing.ts'
import { note, type Tracing } from './tracing.ts'

type Outcome = NonNullable<ProcessMessage['outcome']>

/** Responds to a request, and tells the verdict. */
export async function traceReceive(
  tracing: Tracing,
  request: WebhookRequest,
  respond: (request: WebhookRequest) => Promise<Reply>,
): Promise<Reply> {
  const method: unknown = request?.method
  const message: ReceiveMessage = { method: typeof method === 'string' ? limited(method) : '' }
  return await tracing.trace('receive', message, async () => {
    const reply = await respond(request)
    note(message, { status: reply.status, verdict: verdictOf(reply) })
    return reply
  })
}

/** Stores a notification, with the trace context that a subscriber sets. */
export function tracePut(
  tracing: Tracing,
  received: ReceivedNotification,
  put: ReceiverInbox['put'],
): ReturnType<ReceiverInbox['put']> {
  const { rawBody, subject } = received
  const message: PutMessage = { kind: kindOf(rawBody), subject }
  return tracing.trace('put', message, async () => {
    try {
      const { traceparent } = message
      const outcome = await put(isTraceparent(traceparent) ? { ...received, traceparent } : received)
      note(message, { outcome })
      return outcome
    } catch (error) {
      note(message, { outcome: 'failed', errorType: errorTypeOf(error) })
      throw error
    }
  })
}

/** Runs the handlers of a receiver without an inbox. */
export async function traceHandlers(
  tracing: Tracing,
  { event, context }: Webhook,
  handlers: Handlers,
): Promise<void> {
  const { kind, subject, source, attempt, receivedAt } = context
  const message = {
    kind: limited(kind),
    subject,
    source,
    entryId: undefined,
    attempt,
    receivedAt,
    traceparent: undefined,
  }
  const run = () => handlers.run(event, context)
  await tracing.trace('process', message, () => noteOutcome(message, run, () => 'failed'))
}

/** Tells of the work of a consumer. */
export function traceConsumer(tracing: Tracing, consumer: InboxConsumer): InboxConsumer {
  function handleTraced(delivery: InboxDelivery): Promise<unknown> {
    const { rawBody, subject, source, id: entryId, attempt, receivedAt, traceparent } = delivery
    const message = { kind: kindOf(rawBody), subject, source, entryId, attempt, receivedAt, traceparent }
    const handle = () => consumer.handle(delivery)
    const outcomeOf = (error: unknown) => failureOf(error, delivery)
    return tracing.trace('process', message, () => noteOutcome(message, handle, outcomeOf))
  }

  return {
    ...consumer,
    handle: (delivery) => (tracing.isOn('process') ? handleTraced(delivery) : consumer.handle(delivery)),
    dead(notification) {
      tracing.dead(notification)
      return consumer.dead(notification)
    },
  }
}

async function noteOutcome(
  message: ProcessMessage,
  handle: () => unknown,
  outcomeOf: (error: unknown) => Outcome,
): Promise<unknown> {
  try {
    const result = await handle()
    note(message, { outcome: 'completed' })
    return result
  } catch (error) {
    const outcome = outcomeOf(error)
    const hasFailed = outcome !== 'returned' && outcome !== 'deferred'
    note(message, hasFailed ? { outcome, errorType: errorTypeOf(error) } : { outcome })
    throw error
  }
}

function failureOf(error: unknown, { signal, retryDelayMs }: InboxDelivery): Outcome {
  if (signal.aborted) return 'returned'
  // Any other PayhookError is final.
  if (isDeferral(error)) return 'deferred'
  return isPayhookError(error) || retryDelayMs === undefined ? 'dead' : 'retry'
}

function verdictOf(reply: Reply): string {
  if (reply === RECEIVED) return 'received'
  return reply === DUPLICATE ? 'duplicate' : String(JSON.parse(reply.body).code)
}

function kindOf(body: Uint8Array): string | null {
  const kind = readKind(body)
  return kind === null ? null : limited(kind)
}

/**
 * The code of the innermost error that has one, as an inbox wraps that of its engine, or else the name of the
 * error. Never the message, which may contain personal data.
 */
function errorTypeOf(error: unknown): string {
  const errors = causesOf(error)
  const codes = errors.map((one) => (one as { code?: unknown }).code).reverse()
  const isType = (type: unknown) => typeof type === 'string' && /^\w{1,60}$/.test(type)
  return ([...codes, errors[0]?.name].find(isType) as string | undefined) ?? 'Error'
}
