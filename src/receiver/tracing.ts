import { causesOf } from '../cause-of.ts'
import { readKind } from '../events/read-envelope.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import type { ReceivedNotification } from '../notification/open-notification.ts'
import { isTraceparent, type NotificationSource } from '../notification/signed-notification.ts'
import type { WebhookRequest } from '../verification/request-verifier.ts'
import { isDeferral } from './deferral.ts'
import { limited } from './logger.ts'
import type { DeadNotification, InboxDelivery, ReceiverInbox } from './receiver-inbox.ts'
import { DUPLICATE, RECEIVED, type Reply } from './reply.ts'

/** What the tracing channel `payhook:receive` tells about a request. */
export interface ReceiveMessage {
  readonly method: string
  /** Set at the end: the status of the reply. */
  status?: number
  /** Set at the end: `received`, `duplicate`, or the `code` of the reply, such as `signature_mismatch`. */
  verdict?: string
}

/** What the tracing channel `payhook:put` tells about a notification that is stored. */
export interface PutMessage {
  /** The `type` of the body; `null` if the body cannot be parsed. */
  readonly kind: string | null
  readonly subject: string | null
  /**
   * A subscriber may set it at the start, to the W3C trace context of its span. It is stored with the
   * notification, so that the span that handles it can link to this one.
   */
  traceparent?: string
  /** Set at the end. */
  outcome?: 'stored' | 'duplicate' | 'failed'
  /** Set if it failed: the code of the error, or its name. */
  errorType?: string
}

/** What the tracing channel `payhook:process` tells about an attempt to handle a notification. */
export interface ProcessMessage {
  /** The `type` of the body; `null` if the body cannot be parsed. */
  readonly kind: string | null
  readonly subject: string | null
  readonly source: NotificationSource
  /** The id of the entry; `undefined` without an inbox. */
  readonly entryId: string | undefined
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** When the request arrived. */
  readonly receivedAt: Date
  /** The trace context of the span that stored it, if there is one. */
  readonly traceparent: string | undefined
  /**
   * Set at the end. After a failure, it is `retry` if there is another attempt, `dead` if not, and `failed`
   * without an inbox. It is `deferred` if a handler said "not yet" (`RetryAfterError`), and `returned` if
   * `stop()` cut the attempt off: neither counts.
   */
  outcome?: 'completed' | 'retry' | 'dead' | 'failed' | 'returned' | 'deferred'
  /** Set if it failed: the code of the error, or its name. */
  errorType?: string
}

export interface TraceMessages {
  readonly receive: ReceiveMessage
  readonly put: PutMessage
  readonly process: ProcessMessage
}

export type Operation = keyof TraceMessages

/** Where the runtime has it. Not imported, as bundlers for other runtimes could not resolve it. */
const diagnostics = globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')

const channelOf = <Name extends Operation>(name: Name) =>
  diagnostics?.tracingChannel<TraceMessages[Name], TraceMessages[Name]>(`payhook:${name}`)

const CHANNELS: { readonly [Name in Operation]: ReturnType<typeof channelOf<Name>> } = {
  receive: channelOf('receive'),
  put: channelOf('put'),
  process: channelOf('process'),
}

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const

function hasSubscribers(channel: (typeof CHANNELS)[Operation]): boolean {
  // Bun and workerd only say it of the single channels.
  return channel?.hasSubscribers ?? EVENTS.some((event) => channel?.[event].hasSubscribers)
}

/** Sets properties of a message, unless a subscriber has frozen it. */
function note<Message extends object>(message: Message, facts: Partial<Message>): void {
  for (const [name, fact] of Object.entries(facts)) Reflect.set(message, name, fact)
}

/** Runs around an operation: must call `run` synchronously, exactly once, and await it. `run` never rejects. */
export type Around<Message> = (message: Message, run: () => Promise<void>) => Promise<void>

export type Arounds = { readonly [Name in Operation]: Around<TraceMessages[Name]> }

/** What runs around the operations of a receiver, such as spans. None of it throws or rejects. */
export interface Instrumentation extends Arounds {
  /** Called when the receiver is started, perhaps again. */
  started(): void
  /** Called when the inbox gives up on a notification. */
  dead(notification: DeadNotification): void
  /** Called when another instrumentation takes its place. */
  replaced(): void
}

export type Tracing = ReturnType<typeof createTracing>

/** Tells the subscribers of the tracing channels, and the instrumentation, what a receiver does. */
export function createTracing() {
  let instrumentation: Instrumentation | undefined

  /** Without subscribers there is nothing to tell. */
  const isOn = (name: Operation) => instrumentation !== undefined || hasSubscribers(CHANNELS[name])

  /** @param call notes its result in the message. The result itself may contain personal data */
  async function trace<Name extends Operation, Result>(
    name: Name,
    message: TraceMessages[Name],
    call: () => Promise<Result>,
  ): Promise<Result> {
    let result = undefined as Promise<Result> | undefined
    const run = async () => {
      result = call()
      await result.catch(() => {})
    }
    const arounds: Arounds | undefined = instrumentation
    const inside = () => (arounds === undefined ? run() : arounds[name](message, run))
    const channel = CHANNELS[name]
    // It rejects if a subscriber has frozen the message.
    if (hasSubscribers(channel)) await channel?.tracePromise(inside, message).catch(() => {})
    else await inside()
    return await (result as Promise<Result>)
  }

  return {
    isOn,
    trace,
    instrument(value: Instrumentation) {
      instrumentation?.replaced()
      instrumentation = value
    },
    started: () => instrumentation?.started(),
    dead: (notification: DeadNotification) => instrumentation?.dead(notification),
  }
}

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

/** @param delivery of an inbox; without one, the handlers run before the reply */
export function traceProcess(
  tracing: Tracing,
  received: ReceivedNotification,
  delivery: InboxDelivery | undefined,
  handle: () => unknown,
): Promise<unknown> {
  const { rawBody, subject, source = 'service', receivedAt, traceparent } = received
  const { id: entryId, attempt = 1 } = delivery ?? {}
  const kind = kindOf(rawBody)
  const message: ProcessMessage = { kind, subject, source, entryId, attempt, receivedAt, traceparent }
  return tracing.trace('process', message, async () => {
    try {
      const result = await handle()
      note(message, { outcome: 'completed' })
      return result
    } catch (error) {
      const outcome = failureOf(error, delivery)
      const hasFailed = outcome !== 'returned' && outcome !== 'deferred'
      note(message, hasFailed ? { outcome, errorType: errorTypeOf(error) } : { outcome })
      throw error
    }
  })
}

function failureOf(
  error: unknown,
  delivery: InboxDelivery | undefined,
): NonNullable<ProcessMessage['outcome']> {
  if (delivery === undefined) return 'failed'
  if (delivery.signal.aborted) return 'returned'
  // Any other PayhookError is final.
  if (isDeferral(error)) return 'deferred'
  return isPayhookError(error) || delivery.retryDelayMs === undefined ? 'dead' : 'retry'
}

function verdictOf(reply: Reply): string {
  if (reply === RECEIVED) return 'received'
  return reply === DUPLICATE ? 'duplicate' : String(JSON.parse(reply.body).code)
}

function kindOf(body: Uint8Array): string | null {
  const kind = readKind(body)
  return kind === null ? null : limited(kind)
}

/** The innermost code, as an inbox wraps its engine's, or else the name. A message may have personal data. */
function errorTypeOf(error: unknown): string {
  const errors = causesOf(error)
  const codes = errors.map((one) => (one as { code?: unknown }).code).reverse()
  const isType = (type: unknown) => typeof type === 'string' && /^\w{1,60}$/.test(type)
  return ([...codes, errors[0]?.name].find(isType) as string | undefined) ?? 'Error'
}
