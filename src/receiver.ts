import { HandlingError, isPayhookError, type PayhookError, type RequestError } from './errors.ts'
import type { WebhookEventOf, WebhookEventType } from './events/webhook-event.ts'
import { createHandlers, type Handler, isPromiseLike } from './handlers.ts'
import { assertLogger, createHooks, type ErrorHook, type Logger, type RejectedHook } from './hooks.ts'
import { assertOptions, milliseconds } from './option-checks.ts'
import { RECEIVED, type Reply, toErrorReply } from './reply.ts'
import {
  createRequestVerifier,
  VERIFIER_OPTIONS,
  type VerifierOptions,
  type Webhook,
} from './request-verifier.ts'
import { withTimeLimit } from './time-limit.ts'
import { abortContext } from './webhook-context.ts'
import type { WebhookRequest } from './webhook-request.ts'

/** Options of {@link createReceiver}. */
export interface ReceiverOptions extends VerifierOptions {
  /**
   * How long the handlers of one notification may take together, in milliseconds, at most 24.8 days. Then the
   * context's signal is aborted and the sender gets a 500, so that it tries again. Default 30,000.
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
  /** Answers a request. It never rejects: whatever happens becomes a reply. */
  receive(request: WebhookRequest): Promise<Reply>
}

/**
 * Makes a receiver: one policy for every framework. It verifies the signature over the exact bytes (service.md
 * 5.3), parses the event (service.md 2.3 to 2.6) and answers 200 only after your handlers have finished; anything
 * else lets the service try again (service.md 6). A kind without a handler is acknowledged.
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
  assertOptions(options, [...VERIFIER_OPTIONS, 'handlerTimeoutMs', 'logger'])
  const { handlerTimeoutMs, logger, ...verifierOptions } = options
  const verifier = createRequestVerifier(verifierOptions)
  const limitMs = milliseconds('handlerTimeoutMs', handlerTimeoutMs, 30_000)
  const handlers = createHandlers()
  const hooks = createHooks(assertLogger(logger), limitMs)

  async function fail(cause: unknown, webhook?: Webhook): Promise<Reply> {
    const error = new HandlingError('handler_failed', 'The notification was not handled.', { cause })
    if (webhook !== undefined) abortContext(webhook.context, error)
    await hooks.reportError(error, webhook)
    return toErrorReply(error)
  }

  async function refuse(error: PayhookError, request: WebhookRequest): Promise<Reply> {
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
    async receive(request) {
      let webhook: Webhook | undefined
      try {
        webhook = await verifier.verify(request)
        const { event, context } = webhook
        const running = handlers.run(event, context)
        if (isPromiseLike(running)) await withTimeLimit(running, limitMs, () => outOfTime(limitMs))
        if (event.type === 'UNRECOGNIZED' && !handlers.has(event.type)) {
          await hooks.reportError(unrecognized(event), webhook)
        }
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

function outOfTime(limitMs: number): Error {
  return new Error(`The handlers took longer than ${limitMs} ms ("handlerTimeoutMs").`)
}
