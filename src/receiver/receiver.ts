import { HandlingError, type RequestError } from '../errors.ts'
import type { KindSchemas, NoKinds } from '../events/kind-schemas.ts'
import type { WebhookEvent, WebhookEventOf, WebhookEventType } from '../events/webhook-event.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { abortContext } from '../notification/open-notification.ts'
import type { SignedNotification } from '../notification/signed-notification.ts'
import { type Check, checkOptions, delayMs, option, optional } from '../option-checks.ts'
import { withTimeLimit } from '../time-limit.ts'
import {
  createRequestVerifier,
  VERIFIER_CHECKS,
  type VerifierOptions,
} from '../verification/request-verifier.ts'
import type { WebhookRequest } from '../verification/webhook-request.ts'
import { assertHandler, createHandlers, type Handler, isPromiseLike } from './handlers.ts'
import {
  createHooks,
  type DeadHook,
  type ErrorHook,
  fieldsOf,
  type Hooks,
  type RejectedHook,
} from './hooks.ts'
import { createInboxConsumer, outOfTime } from './inbox-consumer.ts'
import type { Logger } from './logger.ts'
import type { ReceiverInbox } from './receiver-inbox.ts'
import { RECEIVED, type Reply } from './reply.ts'
import { createStorage } from './storage.ts'

/** Options of {@link createReceiver}. */
export interface ReceiverOptions<Kinds extends KindSchemas = NoKinds> extends VerifierOptions<Kinds> {
  /**
   * Stores notifications, so that they are acknowledged first and handled later: an inbox from
   * `payhook/sqlite`, `payhook/bullmq` or `payhook/pg-boss`. @default none; the handlers run before the reply
   */
  readonly inbox?: ReceiverInbox | undefined
  /**
   * How long the inbox may take to store a notification, in milliseconds, at most 24.8 days. After that, the
   * sender gets a 503, so that it tries again. @default 5,000
   */
  readonly inboxTimeoutMs?: number | undefined
  /**
   * How long all handlers of one notification may take together, in milliseconds, at most 24.8 days. After
   * that, the context's signal is aborted. Without an inbox, the sender gets a 500, so that it tries again; the
   * default is 30,000. With an inbox, the attempt fails if the handlers then fail; the default is no limit.
   */
  readonly handlerTimeoutMs?: number | undefined
  /**
   * Where rejected and failed notifications are logged: `console`, pino, bunyan, winston. Default: the first
   * of each cause is a process warning, unless there is a hook for it.
   */
  readonly logger?: Logger | undefined
}

/**
 * Verifies and parses notifications and calls your handlers, independent of any framework. Its methods do not
 * use `this`. With a `kinds` option, its type is `Receiver<typeof kinds>`.
 */
export interface Receiver<Kinds extends KindSchemas = NoKinds> {
  /**
   * Adds a handler for one type of event, narrowed to that type. Handlers run in the order they were added.
   *
   * @throws TypeError if the type is unknown
   */
  on<Type extends WebhookEventType<Kinds>>(
    type: Type,
    handler: Handler<WebhookEventOf<Type, Kinds>>,
  ): Receiver<Kinds>
  /** Adds a handler for every event, including UNRECOGNIZED ones. It runs after those of the type. */
  onAny(handler: Handler<WebhookEvent<Kinds>>): Receiver<Kinds>
  /** Adds a hook for failures on the receiver's side, and for UNRECOGNIZED events that have no handler. */
  onError(hook: ErrorHook<Kinds>): Receiver<Kinds>
  /** Adds a hook for rejected requests. */
  onRejected(hook: RejectedHook): Receiver<Kinds>
  /** Adds a hook for notifications that the inbox gave up on. They are kept, and can be replayed. */
  onDead(hook: DeadHook): Receiver<Kinds>
  /** Replies to a request. Never rejects: every failure becomes a reply. */
  receive(request: WebhookRequest): Promise<Reply>
  /**
   * Starts handling the notifications in the inbox. Add the handlers first: a notification without a handler
   * counts as handled. Idempotent. Does nothing without an inbox.
   */
  start(): Promise<void>
  /**
   * Stops handling. Running handlers finish; those that take too long have their signal aborted, and their
   * notification is handled again later. `receive` keeps storing. Idempotent. Does nothing without an inbox.
   */
  stop(): Promise<void>
}

const DEFAULT_HANDLER_TIMEOUT_MS = 30_000

const RECEIVER_CHECKS = {
  ...VERIFIER_CHECKS,
  inbox: optional(
    option<ReceiverInbox>(
      'an inbox, such as one created with createSqliteInbox()',
      hasMethods('put', 'start', 'stop'),
    ),
  ),
  inboxTimeoutMs: delayMs(1, 5_000),
  handlerTimeoutMs: optional(delayMs(1)),
  logger: optional(
    option<Logger>(
      'an object with the methods warn(message, fields) and error(message, fields)',
      hasMethods('warn', 'error'),
    ),
  ),
} satisfies Record<keyof ReceiverOptions, Check<unknown>>

function hasMethods(...names: readonly string[]): (value: unknown) => boolean {
  return (value) => names.every((name) => typeof Object(value)[name] === 'function')
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
 * const receiver = createReceiver({ clientId: process.env.PAYHOOK_CLIENT_ID! })
 * receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', async (event) => {
 *   if (event.data.status === 'Complete') await markPaid(event.data.id)
 * })
 * app.post('/webhooks', receiveWebhooks(receiver)) // payhook/express
 */
export function createReceiver<Kinds extends KindSchemas = NoKinds>(
  options: ReceiverOptions<Kinds>,
): Receiver<Kinds> {
  const checked = checkOptions('createReceiver', options, RECEIVER_CHECKS)
  const { inbox, inboxTimeoutMs, handlerTimeoutMs = DEFAULT_HANDLER_TIMEOUT_MS, logger } = checked
  // The user's own kinds matter to the public types only.
  const verifier = createRequestVerifier<NoKinds>(options as ReceiverOptions, checked)
  const hooks = createHooks(logger, [options.callbackToken ?? []].flat())
  const handlers = createHandlers([...checked.kinds.keys()], hooks)

  const { open } = verifier
  const consumer = createInboxConsumer(open, handlers, hooks, checked.handlerTimeoutMs)
  const storage = inbox && createStorage(inbox, inboxTimeoutMs, consumer, handlers, hooks)

  /** Returns a plain value if there is nothing to wait for: promises cost a few percent of a request. */
  function handle(signed: SignedNotification): Reply | Promise<Reply> {
    const webhook = open(signed)
    const fields = fieldsOf(webhook)
    const report = handlers.reportOf(webhook)
    const fail = (cause: unknown) => {
      const error = notHandled(cause)
      abortContext(webhook.context, error)
      return hooks.reportError(error, webhook, fields)
    }
    try {
      const running = handlers.run(webhook.event, webhook.context)
      if (!isPromiseLike(running) && report === undefined) return RECEIVED
      return withTimeLimit(Promise.resolve(running), handlerTimeoutMs, () => outOfTime(handlerTimeoutMs))
        .then(report)
        .then(() => RECEIVED, fail)
    } catch (cause) {
      return fail(cause)
    }
  }

  async function receive(request: WebhookRequest): Promise<Reply> {
    try {
      const signed = await verifier.authenticate(request)
      const reply = storage === undefined ? handle(signed) : storage.store(signed)
      return isPromiseLike(reply) ? await reply : reply
    } catch (error) {
      return await reject(error, request, hooks)
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
    receive,
    start: async () => storage?.start(),
    stop: async () => inbox?.stop(),
  }
  return receiver as unknown as Receiver<Kinds>
}

/** Never rejects. */
async function reject(error: unknown, request: WebhookRequest, hooks: Hooks): Promise<Reply> {
  try {
    // Any other error is a fault on this side, so the sender must try again.
    if (!isPayhookError(error)) return await hooks.reportError(notHandled(error))
    if (error.expose) return await hooks.reportRejected(error, request)
    return await hooks.reportError(error as RequestError)
  } catch (cause) {
    // A value that cannot be read, such as a URL without a text form.
    return await hooks.reportError(notHandled(cause))
  }
}

function notHandled(cause: unknown): HandlingError {
  return new HandlingError('handler_failed', 'The notification was not handled.', { cause })
}
