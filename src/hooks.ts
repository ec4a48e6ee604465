import type { HandlingError, PayhookError, RequestError } from './errors.ts'
import { assertHandler } from './handlers.ts'
import type { Webhook } from './request-verifier.ts'
import { withTimeLimit } from './time-limit.ts'
import type { WebhookRequest } from './webhook-request.ts'

/**
 * Called when the receiver's side failed: a handler (`handler_failed`), the way it is mounted (`body_consumed`), or
 * its knowledge (`event_unrecognized`). The webhook is there once it has been verified.
 */
export type ErrorHook = (error: HandlingError | RequestError, webhook: Webhook | undefined) => unknown

/** What may be told of a request that was refused: not its query, where the callback token stands. */
export interface RejectedRequest {
  readonly method: string
  /** The URL without its query. */
  readonly path: string
}

/** Called when a request was refused (every 4xx), with the reason. */
export type RejectedHook = (error: PayhookError, request: RejectedRequest) => unknown

/** Where the receiver writes what happens; `console` fits, and so does a logger that takes a message and fields. */
export interface Logger {
  warn(message: string, fields: Readonly<Record<string, unknown>>): void
  error(message: string, fields: Readonly<Record<string, unknown>>): void
}

/** Tells the user's hooks and logger. It never fails: a hook that throws, or takes too long, is logged and changes no reply. */
export interface Hooks {
  addErrorHook(hook: ErrorHook): void
  addRejectedHook(hook: RejectedHook): void
  reportError(error: HandlingError | RequestError, webhook?: Webhook): Promise<void>
  reportRejected(error: PayhookError, request: WebhookRequest): Promise<void>
}

export function createHooks(logger: Logger | undefined, limitMs: number): Hooks {
  const errorHooks: ErrorHook[] = []
  const rejectedHooks: RejectedHook[] = []

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
