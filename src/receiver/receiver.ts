import { HandlingError, InboxError, type RequestError } from '../errors.ts'
import type { KindSchemas, NoKinds } from '../events/kind-schemas.ts'
import type { WebhookEvent, WebhookEventOf, WebhookEventType } from '../events/webhook-event.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import type { Webhook } from '../notification/open-notification.ts'
import type { SignedNotification } from '../notification/signed-notification.ts'
import { abortContext } from '../notification/webhook-context.ts'
import { assertOptions, milliseconds } from '../option-checks.ts'
import { withTimeLimit } from '../time-limit.ts'
import {
  createRequestVerifier,
  FIRST_ATTEMPT,
  VERIFIER_OPTIONS,
  type VerifierOptions,
} from '../verification/request-verifier.ts'
import type { AdapterRequest, WebhookRequest } from '../verification/webhook-request.ts'
import { createHandlers, type Handler, isPromiseLike } from './handlers.ts'
import { createHooks, type DeadHook, type ErrorHook, type RejectedHook } from './hooks.ts'
import { createInboxConsumer, outOfTime } from './inbox-consumer.ts'
import { assertLogger, type Logger } from './logger.ts'
import { assertInbox, type ReceiverInbox } from './receiver-inbox.ts'
import { RECEIVED, type Reply, toErrorReply } from './reply.ts'
import { setResponder } from './responder.ts'
import { unrecognized } from './unrecognized.ts'

/** Options of {@link createReceiver}. */
export interface ReceiverOptions<Kinds extends KindSchemas = NoKinds> extends VerifierOptions<Kinds> {
  /**
   * Stores notifications, so that they are acknowledged first and handled later: an inbox from
   * `payhook/sqlite`, `payhook/bullmq` or `payhook/pg-boss`. Default: none; the handlers run before the reply.
   */
  readonly inbox?: ReceiverInbox | undefined
  /**
   * How long the inbox may take to store a notification, in milliseconds, at most 24.8 days. After that, the
   * sender gets a 503, so that it tries again. Default 5,000.
   */
  readonly inboxTimeoutMs?: number | undefined
  /**
   * How long all handlers of one notification may take together, in milliseconds, at most 24.8 days. After
   * that, the context's signal is aborted. Without an inbox, the sender gets a 500, so that it tries again; the
   * default is 30,000. With an inbox, the attempt fails if the handlers then fail; the default is no limit.
   */
  readonly handlerTimeoutMs?: number | undefined
  /** Where refused and failed notifications are logged: `console`, pino, bunyan, winston. Default: nowhere. */
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
  /** Adds a hook for refused requests. */
  onRejected(hook: RejectedHook): Receiver<Kinds>
  /** Adds a hook for notifications that the inbox gave up on. They are kept, and can be replayed. */
  onDead(hook: DeadHook): Receiver<Kinds>
  /** Answers a request. Never rejects: every failure becomes a reply. */
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

/** The part of a receiver that adapters use, whatever its kinds. */
export type AnyReceiver = Pick<Receiver, 'receive'>

/**
 * Creates a receiver, which works the same in every framework. It verifies the signature over the exact bytes,
 * parses the event, and answers 200 only after your handlers have finished, or, with an inbox, after the exact
 * bytes are stored. Any other answer makes the service try again. A kind without a handler is acknowledged.
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
  assertOptions(options, [...VERIFIER_OPTIONS, 'inbox', 'inboxTimeoutMs', 'handlerTimeoutMs', 'logger'])
  const { inbox, inboxTimeoutMs, handlerTimeoutMs, logger, ...verifierOptions } = options
  // The user's own kinds matter to the public types only.
  const verifier = createRequestVerifier<NoKinds>(verifierOptions)
  assertInbox(inbox)
  const storeLimitMs = milliseconds('inboxTimeoutMs', inboxTimeoutMs, 5_000)
  const limitMs = milliseconds('handlerTimeoutMs', handlerTimeoutMs, 30_000)
  const ownKinds = Object.keys(options.kinds ?? {})
  const handlers = createHandlers(ownKinds)
  const hooks = createHooks(assertLogger(logger))
  const consumer = createInboxConsumer(
    verifier.open,
    async (webhook) => {
      await handlers.run(webhook.event, webhook.context)
      await reportUnrecognized(webhook)
    },
    hooks,
    handlerTimeoutMs === undefined ? undefined : limitMs,
  )

  let started = false
  let warned = false

  async function reportUnrecognized(webhook: Webhook): Promise<void> {
    const { event } = webhook
    if (event.type === 'UNRECOGNIZED' && !handlers.has(event.type)) {
      await hooks.reportError(unrecognized(event, ownKinds.includes(event.kind)), webhook)
    }
  }

  function respond(request: AdapterRequest, reply: (reply: Reply) => void): void {
    verifier.authenticate(
      request,
      (signed) => {
        const accepted = accept(signed, request)
        if (isPromiseLike(accepted)) void accepted.then(reply)
        else reply(accepted)
      },
      (error) => void refuse(error, request).then(reply),
    )
  }

  /** Synchronous if there is nothing to wait for. */
  function accept(signed: SignedNotification, request: AdapterRequest): Reply | Promise<Reply> {
    if (inbox !== undefined) return store(inbox, signed)
    let webhook: Webhook | undefined
    try {
      webhook = verifier.open(signed, FIRST_ATTEMPT)
      const running = handlers.run(webhook.event, webhook.context)
      if (!isPromiseLike(running) && webhook.event.type !== 'UNRECOGNIZED') return RECEIVED
      return finish(webhook, running)
    } catch (error) {
      return webhook === undefined ? refuse(error, request) : fail(error, webhook)
    }
  }

  async function finish(webhook: Webhook, running: unknown): Promise<Reply> {
    try {
      if (isPromiseLike(running)) await withTimeLimit(running, limitMs, () => outOfTime(limitMs))
      await reportUnrecognized(webhook)
      return RECEIVED
    } catch (error) {
      return await fail(error, webhook)
    }
  }

  async function store(inbox: ReceiverInbox, signed: SignedNotification): Promise<Reply> {
    try {
      await withTimeLimit(inbox.put(signed), storeLimitMs, () => tooSlow(storeLimitMs))
    } catch (cause) {
      // The inbox's own error is only the cause, so that it does not get into the reply.
      const error = new InboxError('inbox_unavailable', 'The notification could not be stored.', { cause })
      await hooks.reportError(error)
      return toErrorReply(error)
    }
    warnUnlessStarted()
    return RECEIVED
  }

  /** A process without handlers only stores notifications, which needs no start(). */
  function warnUnlessStarted(): void {
    if (started || warned || handlers.isEmpty()) return
    warned = true
    hooks.warn('a notification was stored, but start() was not called: no handler runs in this process.')
  }

  async function start(): Promise<void> {
    if (inbox === undefined) return
    if (handlers.isEmpty()) {
      hooks.warn(
        'start() was called before any handler was added: notifications that arrive until then count as handled.',
      )
    }
    started = true
    await inbox.start(consumer)
  }

  async function fail(cause: unknown, webhook?: Webhook): Promise<Reply> {
    const error = new HandlingError('handler_failed', 'The notification was not handled.', { cause })
    if (webhook !== undefined) abortContext(webhook.context, error)
    await hooks.reportError(error, webhook)
    return toErrorReply(error)
  }

  async function refuse(error: unknown, request: AdapterRequest): Promise<Reply> {
    // Any other error is a fault on this side, so the sender must try again.
    if (!isPayhookError(error)) return await fail(error)
    if (error.expose) await hooks.reportRejected(error, request)
    else await hooks.reportError(error as RequestError)
    return toErrorReply(error)
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
      hooks.addErrorHook(hook)
      return receiver
    },
    onRejected(hook) {
      hooks.addRejectedHook(hook)
      return receiver
    },
    onDead(hook) {
      hooks.addDeadHook(hook)
      return receiver
    },
    start,
    stop: async () => inbox?.stop(),
    receive: (request) => new Promise((resolve) => respond(request, resolve)),
  }
  setResponder(receiver.receive, respond)
  return receiver as unknown as Receiver<Kinds>
}

function tooSlow(limitMs: number): Error {
  return new Error(`The inbox took longer than ${limitMs} ms ("inboxTimeoutMs").`)
}
