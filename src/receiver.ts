import { HandlingError, InboxError, isPayhookError, type PayhookError, type RequestError } from './errors.ts'
import type { WebhookEventOf, WebhookEventType } from './events/webhook-event.ts'
import { createHandlers, type Handler, isPromiseLike } from './handlers.ts'
import {
  assertLogger,
  createHooks,
  type DeadHook,
  type ErrorHook,
  type Logger,
  type RejectedHook,
} from './hooks.ts'
import { createInboxConsumer, outOfTime } from './inbox-consumer.ts'
import type { Webhook } from './open-notification.ts'
import { assertOptions, milliseconds } from './option-checks.ts'
import { assertInbox, type ReceiverInbox } from './receiver-inbox.ts'
import { RECEIVED, type Reply, toErrorReply } from './reply.ts'
import { createRequestVerifier, VERIFIER_OPTIONS, type VerifierOptions } from './request-verifier.ts'
import { withTimeLimit } from './time-limit.ts'
import { abortContext } from './webhook-context.ts'
import type { WebhookRequest } from './webhook-request.ts'

/** Options of {@link createReceiver}. */
export interface ReceiverOptions extends VerifierOptions {
  /**
   * Where notifications are kept, to be handled after they have been acknowledged: `createSqliteInbox` of
   * `payhook/sqlite` makes one, and so do `payhook/bullmq` and `payhook/pg-boss`. Default: none, and the handlers run
   * before the reply.
   */
  readonly inbox?: ReceiverInbox | undefined
  /**
   * How long the inbox may take to store a notification, in milliseconds, at most 24.8 days. Then the sender gets a
   * 503, so that it tries again. Default 5,000.
   */
  readonly inboxTimeoutMs?: number | undefined
  /**
   * How long the handlers of one notification may take together, in milliseconds, at most 24.8 days. Then the
   * context's signal is aborted. Without an inbox the sender gets a 500, so that it tries again, and the default is
   * 30,000; with one the attempt has failed if the handlers then fail, and the default is no limit.
   */
  readonly handlerTimeoutMs?: number | undefined
  /** Where refused and failed notifications are logged. Default: nowhere. */
  readonly logger?: Logger | undefined
}

/** Verifies, parses and hands over notifications; knows no framework. Its methods need no `this`. */
export interface Receiver {
  /**
   * Adds a handler for one type of event, which it gets narrowed. Several run in the order they were added.
   *
   * @throws TypeError when there is no such type
   */
  on<Type extends WebhookEventType>(type: Type, handler: Handler<WebhookEventOf<Type>>): Receiver
  /** Adds a handler for every event, UNRECOGNIZED ones too; it runs after those of the type. */
  onAny(handler: Handler): Receiver
  /** Adds a hook for failures on the receiver's side, and for UNRECOGNIZED events that no `on('UNRECOGNIZED')` takes. */
  onError(hook: ErrorHook): Receiver
  /** Adds a hook for requests that were refused. */
  onRejected(hook: RejectedHook): Receiver
  /** Adds a hook for notifications in the inbox that were given up. They are kept there, and can be replayed. */
  onDead(hook: DeadHook): Receiver
  /** Answers a request. It never rejects: whatever happens becomes a reply. */
  receive(request: WebhookRequest): Promise<Reply>
  /**
   * Starts handling what the inbox keeps. Add the handlers before, as what has none counts as handled. Idempotent;
   * without an inbox it does nothing.
   */
  start(): Promise<void>
  /**
   * Stops handling: running handlers finish, and those that take too long have their signal aborted and are handed
   * over again later. `receive` goes on storing. Idempotent; without an inbox it does nothing.
   */
  stop(): Promise<void>
}

/**
 * Makes a receiver: one policy for every framework. It verifies the signature over the exact bytes (service.md
 * 5.3), parses the event (service.md 2.3 to 2.6) and answers 200 only after your handlers have finished, or, with an
 * inbox, after the exact bytes are stored; anything else lets the service try again (service.md 6). A kind without a
 * handler is acknowledged.
 *
 * @throws TypeError for an option that is missing, unknown or out of range
 * @example
 * const receiver = createReceiver({ clientId: process.env.PAYHOOK_CLIENT_ID ?? '' })
 * receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', async (event) => {
 *   if (event.data.status === 'Complete') await markPaid(event.data.id)
 * })
 * app.post('/webhooks', receiveWebhooks(receiver)) // payhook/express
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  assertOptions(options, [...VERIFIER_OPTIONS, 'inbox', 'inboxTimeoutMs', 'handlerTimeoutMs', 'logger'])
  const { inbox, inboxTimeoutMs, handlerTimeoutMs, logger, ...verifierOptions } = options
  const verifier = createRequestVerifier(verifierOptions)
  assertInbox(inbox)
  const storeLimitMs = milliseconds('inboxTimeoutMs', inboxTimeoutMs, 5_000)
  const limitMs = milliseconds('handlerTimeoutMs', handlerTimeoutMs, 30_000)
  const handlers = createHandlers()
  const hooks = createHooks(assertLogger(logger), limitMs)
  const consumer = createInboxConsumer(
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
      await hooks.reportError(unrecognized(event), webhook)
    }
  }

  async function store(inbox: ReceiverInbox, request: WebhookRequest): Promise<Reply> {
    const signed = await verifier.authenticate(request)
    try {
      await withTimeLimit(inbox.put(signed), storeLimitMs, () => tooSlow(storeLimitMs))
    } catch (cause) {
      // Whatever the inbox says stays in the cause: the sender is not to read it.
      throw new InboxError('inbox_unavailable', 'The notification could not be stored.', { cause })
    }
    warnUnlessStarted()
    return RECEIVED
  }

  /** A process that only stores has no handlers. */
  function warnUnlessStarted(): void {
    if (started || warned || handlers.isEmpty()) return
    warned = true
    hooks.warn('a notification was stored, but start() was not called: no handler runs in this process.')
  }

  async function start(): Promise<void> {
    if (inbox === undefined) return
    if (handlers.isEmpty()) {
      hooks.warn(
        'start() was called before any handler was added: what is handled meanwhile counts as handled.',
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

  async function refuse(error: PayhookError, request: WebhookRequest): Promise<Reply> {
    if (error.expose) await hooks.reportRejected(error, request)
    else await hooks.reportError(error as RequestError | InboxError)
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
    async receive(request) {
      let webhook: Webhook | undefined
      try {
        if (inbox !== undefined) return await store(inbox, request)
        webhook = await verifier.verify(request)
        const { event, context } = webhook
        const running = handlers.run(event, context)
        if (isPromiseLike(running)) await withTimeLimit(running, limitMs, () => outOfTime(limitMs))
        await reportUnrecognized(webhook)
        return RECEIVED
      } catch (error) {
        // What is no refusal is a fault on this side, of a handler or of the adapter, and the sender shall try again.
        const refused = webhook === undefined && isPayhookError(error)
        return await (refused ? refuse(error, request) : fail(error, webhook))
      }
    },
  }
  return receiver
}

const SHOWN_KIND_CHARACTERS = 64

function unrecognized({ kind, issues }: WebhookEventOf<'UNRECOGNIZED'>): HandlingError {
  const [first] = issues
  const where = first === undefined ? '' : `: "${first.path.join('.')}" ${first.message}`
  return new HandlingError(
    'event_unrecognized',
    `A verified notification of kind ${JSON.stringify(kind.slice(0, SHOWN_KIND_CHARACTERS))} was not recognised${where}. ` +
      "Handle it with on('UNRECOGNIZED').",
  )
}

function tooSlow(limitMs: number): Error {
  return new Error(`The inbox took longer than ${limitMs} ms ("inboxTimeoutMs").`)
}
