import type { HandlingError, InboxError, PayhookError, RequestError } from './errors.ts'
import { assertHandler } from './handlers.ts'
import type { Webhook } from './open-notification.ts'
import type { DeadNotification } from './receiver-inbox.ts'
import { withTimeLimit } from './time-limit.ts'
import type { WebhookRequest } from './webhook-request.ts'

/** What is reported of the receiver's side. */
type OwnError = HandlingError | RequestError | InboxError

/**
 * Called when the receiver's side failed: a handler (`handler_failed`; with an inbox, at every attempt), the way it is
 * mounted (`body_consumed`), its knowledge (`event_unrecognized`), or its inbox (`inbox_unavailable`). The webhook is
 * there once it has been opened.
 */
export type ErrorHook = (error: OwnError, webhook: Webhook | undefined) => unknown

/** What may be told of a request that was refused: not its query, where the callback token stands. */
export interface RejectedRequest {
  readonly method: string
  /** The URL without its query. */
  readonly path: string
}

/** Called when a request was refused (every 4xx), with the reason. */
export type RejectedHook = (error: PayhookError, request: RejectedRequest) => unknown

/** Called when a notification in the inbox is given up: its attempts are used up, or its body cannot be read. */
export type DeadHook = (notification: DeadNotification) => unknown

/** Where the receiver writes what happens; `console` fits, and so does a logger that takes a message and fields. */
export interface Logger {
  warn(message: string, fields: Readonly<Record<string, unknown>>): void
  error(message: string, fields: Readonly<Record<string, unknown>>): void
}

/** Tells the user's hooks and logger. It never fails: a hook that throws, or takes too long, is logged and changes no reply. */
export interface Hooks {
  addErrorHook(hook: ErrorHook): void
  addRejectedHook(hook: RejectedHook): void
  addDeadHook(hook: DeadHook): void
  reportError(error: OwnError, webhook?: Webhook): Promise<void>
  reportRejected(error: PayhookError, request: WebhookRequest): Promise<void>
  reportDead(notification: DeadNotification): Promise<void>
  /** Logs what is allowed, and probably a mistake. */
  warn(message: string): void
}

export function createHooks(logger: Logger | undefined, limitMs: number): Hooks {
  const errorHooks: ErrorHook[] = []
  const rejectedHooks: RejectedHook[] = []
  const deadHooks: DeadHook[] = []

  /** A logger of the user's may throw too, and nobody is left to tell. */
  function log(level: keyof Logger, message: string, fields: Readonly<Record<string, unknown>>): void {
    void attempt(() => logger?.[level](message, fields)).catch(() => {})
  }

  async function call(hook: () => unknown): Promise<void> {
    try {
      await withTimeLimit(attempt(hook), limitMs, () => new Error(`The hook took longer than ${limitMs} ms.`))
    } catch (error) {
      log('error', 'payhook: a hook failed', { error })
    }
  }

  return {
    addErrorHook: (hook) => void errorHooks.push(assertHandler(hook)),
    addRejectedHook: (hook) => void rejectedHooks.push(assertHandler(hook)),
    addDeadHook: (hook) => void deadHooks.push(assertHandler(hook)),
    async reportError(error, webhook) {
      const { kind, deliveryId } = webhook?.context ?? {}
      const level = error.status < 500 ? 'warn' : 'error'
      log(level, `payhook: ${error.message}`, { code: error.code, kind, deliveryId, error })
      await Promise.all(errorHooks.map((hook) => call(() => hook(error, webhook))))
    },
    async reportRejected(error, { method, url }) {
      const [path = ''] = String(url).split('?', 1)
      log('warn', 'payhook: a request was refused', { code: error.code, status: error.status, method, path })
      await Promise.all(rejectedHooks.map((hook) => call(() => hook(error, { method, path }))))
    },
    warn: (message) => log('warn', `payhook: ${message}`, {}),
    async reportDead(notification) {
      const { id, deliveryId, attempts, error } = notification
      log('error', 'payhook: a notification was given up', { id, deliveryId, attempts, error })
      await Promise.all(deadHooks.map((hook) => call(() => hook(notification))))
    },
  }
}

/** Turns what a function throws into a rejection. */
async function attempt(call: () => unknown): Promise<unknown> {
  return await call()
}

/** @throws TypeError unless it has the methods of a logger */
export function assertLogger(logger: Logger | undefined): Logger | undefined {
  if (logger === undefined) return undefined
  if (typeof logger?.warn === 'function' && typeof logger.error === 'function') return logger
  throw new TypeError(
    '"logger" option must have the methods warn(message, fields) and error(message, fields)',
  )
}
