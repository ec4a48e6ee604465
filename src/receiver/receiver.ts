import { HandlingError, type HandlingErrorCode, type RequestError } from '../errors.ts'
import type { KindSchemas, NoKinds } from '../events/kind-schemas.ts'
import type { WebhookEvent, WebhookEventOf, WebhookEventType } from '../events/webhook-event.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import type { ReceivedNotification, Webhook } from '../notification/open-notification.ts'
import { withTimeLimit } from '../time-limit.ts'
import { createRequestVerifier, type WebhookRequest } from '../verification/request-verifier.ts'
import { assertHandler, createHandlers, type Handler, isPromiseLike } from './handlers.ts'
import {
  createHooks,
  type DeadHook,
  type ErrorHook,
  fieldsOf,
  type Hooks,
  type RejectedHook,
} from './hooks.ts'
import { abortLate } from './inbox-consumer.ts'
import type { ReceiverInbox } from './receiver-inbox.ts'
import { assertReadsInOrder, checkReceiverOptions, type ReceiverOptions } from './receiver-options.ts'
import { RECEIVED, type Reply } from './reply.ts'
import { createStorage } from './storage.ts'
import { createTracing, type Tracing, traceProcess, traceReceive } from './tracing.ts'

/**
 * Verifies and parses notifications and calls your handlers, independent of any framework. Its methods do not
 * use `this`. With a `kinds` option, its type is `Receiver<typeof kinds>`; with a `transaction` option,
 * `Receiver<NoKinds, Tx>`, where `Tx` is the type of `context.tx`. `Current` is that of `context.current`.
 */
export interface Receiver<Kinds extends KindSchemas = NoKinds, Tx = undefined, Current = undefined> {
  /**
   * Adds a handler for one type of event, narrowed to that type. Handlers run in the order they were added.
   *
   * @throws TypeError if the type is unknown
   */
  on<Type extends WebhookEventType<Kinds>>(
    type: Type,
    handler: Handler<WebhookEventOf<Type, Kinds>, Tx, Current>,
  ): Receiver<Kinds, Tx, Current>
  /**
   * Adds a handler for every event, including UNRECOGNIZED ones: data that does not fit then counts as handled.
   * It runs after those of the type.
   */
  onAny(handler: Handler<WebhookEvent<Kinds>, Tx, Current>): Receiver<Kinds, Tx, Current>
  /**
   * Adds a hook for failures on the receiver's side, and for UNRECOGNIZED events that are acknowledged without
   * a handler for that type.
   */
  onError(hook: ErrorHook<Kinds>): Receiver<Kinds, Tx, Current>
  /** Adds a hook for rejected requests. */
  onRejected(hook: RejectedHook): Receiver<Kinds, Tx, Current>
  /**
   * Adds a hook for notifications that the inbox gave up on. They are kept, and can be replayed. If a process
   * is killed just then, it may be called twice for the same one, or never.
   */
  onDead(hook: DeadHook): Receiver<Kinds, Tx, Current>
  /** Replies to a request. Never rejects: every failure becomes a reply. */
  receive(request: WebhookRequest): Promise<Reply>
  /**
   * Starts handling the notifications in the inbox. Add the handlers first: a notification without a handler
   * counts as handled. Idempotent. Does nothing without an inbox.
   *
   * @throws TypeError if there is a `current` option, but no inbox with `oneAtATime`
   */
  start(): Promise<void>
  /**
   * Stops handling. Running handlers finish; those that take too long have their signal aborted, and their
   * notification is handled again later. `receive` keeps storing. Idempotent. Does nothing without an inbox.
   */
  stop(): Promise<void>
}

/** How long the handlers may take, by default, while the sender waits for the reply. */
const DEFAULT_LIMIT_MS = 30_000

const CALLBACK_TOKEN_MISSING =
  'no "callbackToken" is set: whoever has seen the client id, which is not secret, can send notifications that are accepted.'

/** What instruments a receiver needs besides its methods. */
interface Internals {
  readonly tracing: Tracing
  readonly inbox: ReceiverInbox | undefined
}

const internals = new WeakMap<object, Internals>()

export function internalsOf(receiver: object): Internals {
  const found = internals.get(receiver)
  if (found === undefined) throw new TypeError('The receiver was not created by this copy of payhook')
  return found
}

/** The part of a receiver that adapters use, whatever its kinds. */
export type AnyReceiver = Pick<Receiver, 'receive'>

/**
 * Creates a receiver, which works the same in every framework. It verifies the signature over the exact bytes,
 * parses the event, and replies 200 only after your handlers have finished, or, with an inbox, after the exact
 * bytes are stored. Any other reply makes the service try again. A kind without a handler is acknowledged.
 *
 * @throws TypeError if an option is missing, unknown or invalid
 * @example
 * const receiver = createReceiver({
 *   clientId: process.env.PAYHOOK_CLIENT_ID!,
 *   callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN!,
 * })
 * receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', ({ data }) => console.log(data.id, data.status))
 * app.post('/webhooks', receiveWebhooks(receiver)) // payhook/express
 */
export function createReceiver<Kinds extends KindSchemas = NoKinds, Tx = undefined, Current = undefined>(
  options: ReceiverOptions<Kinds, Tx, Current>,
): Receiver<Kinds, Tx, Current> {
  const checked = checkReceiverOptions(options)
  const { inbox, logger } = checked
  const hooks = createHooks(logger, [options.callbackToken || []].flat())
  if (!('callbackToken' in options)) hooks.warn('callback_token_missing', CALLBACK_TOKEN_MISSING)
  // The user's own kinds, and the type of the transaction, matter to the public types only.
  const verifier = createRequestVerifier<NoKinds>(options as unknown as ReceiverOptions, checked)
  const handlers = createHandlers([...checked.kinds.keys()], hooks)
  const tracing = createTracing()
  const { now, handlerTimeoutMs: limitMs = DEFAULT_LIMIT_MS } = checked
  const storage = inbox && createStorage({ ...checked, inbox, open: verifier.open, handlers, hooks, tracing })

  // One function, as each promise between the request and its handlers costs about 1 % of it.
  async function respond(request: WebhookRequest): Promise<Reply> {
    let received: ReceivedNotification | undefined
    let webhook: Webhook | undefined
    let kind = ''
    try {
      const receivedAt = new Date(now())
      received = verifier.authenticate(request, await verifier.readBody(request), receivedAt)
      if (storage !== undefined) return await storage.store(received)
      assertReadsInOrder(checked)
      webhook = verifier.open(received)
      const { context } = webhook
      kind = context.kind
      const reportUnhandled = handlers.reportOf(webhook)
      const running = tracing.isOn('process')
        ? traceProcess(tracing, received, undefined, handlers.run.bind(undefined, webhook))
        : handlers.run(webhook)
      if (isPromiseLike(running)) await withTimeLimit(running, limitMs, () => abortLate(context, limitMs))
      if (reportUnhandled !== undefined) await reportUnhandled()
      return RECEIVED
    } catch (cause) {
      if (received === undefined || webhook === undefined) return await reject(cause, request, hooks)
      const error = notHandled('handler_failed', cause)
      return await hooks.reportError(error, webhook, fieldsOf(kind, { ...received, attempt: 1 }))
    }
  }

  const receiver: Receiver = {
    on(type, handler) {
      handlers.add(type, handler)
      return receiver
    },
    onAny(handler) {
      handlers.addForAny(handler)
      return receiver
    },
    onError(hook) {
      hooks.error.push(assertHandler(hook))
      return receiver
    },
    onRejected(hook) {
      hooks.rejected.push(assertHandler(hook))
      return receiver
    },
    onDead(hook) {
      hooks.dead.push(assertHandler(hook))
      return receiver
    },
    receive: (request) =>
      tracing.isOn('receive') ? traceReceive(tracing, request, respond) : respond(request),
    async start() {
      assertReadsInOrder(checked)
      await storage?.start()
    },
    stop: async () => storage?.stop(),
  }
  internals.set(receiver, { tracing, inbox })
  return receiver as unknown as Receiver<Kinds, Tx, Current>
}

/** Never rejects. */
async function reject(error: unknown, request: WebhookRequest, hooks: Hooks): Promise<Reply> {
  try {
    // Any other error is a fault on this side, so the sender must try again.
    if (!isPayhookError(error)) return await hooks.reportError(notHandled('receiver_failed', error))
    if (error.expose) return await hooks.reportRejected(error, request)
    return await hooks.reportError(error as RequestError)
  } catch (cause) {
    // A value that cannot be read, such as a URL without a text form.
    return await hooks.reportError(notHandled('receiver_failed', cause))
  }
}

function notHandled(code: HandlingErrorCode, cause: unknown): HandlingError {
  return new HandlingError(code, 'The notification was not handled.', { cause })
}
