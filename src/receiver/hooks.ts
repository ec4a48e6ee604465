import type { HandlingError, InboxError, PayhookError, RequestError } from '../errors.ts'
import type { KindSchemas, NoKinds } from '../events/kind-schemas.ts'
import type { Webhook } from '../notification/open-notification.ts'
import { withTimeLimit } from '../time-limit.ts'
import type { WebhookRequest } from '../verification/webhook-request.ts'
import { assertHandler } from './handlers.ts'
import { createLog, type Log, type LogFields, type Logger, limited, toPlainError } from './logger.ts'
import type { DeadNotification } from './receiver-inbox.ts'

/** A failure on the receiver's side. */
type OwnError = HandlingError | RequestError | InboxError

/**
 * Called for failures on the receiver's side: a handler failed (`handler_failed`; with an inbox, on every
 * failed attempt), a body parser ran first (`body_consumed`), no schema matches (`event_unrecognized`), or the
 * inbox failed (`inbox_unavailable`). `webhook` is `undefined` if the notification was not parsed. The reply
 * waits for the hook for at most one second.
 */
export type ErrorHook<Kinds extends KindSchemas = NoKinds> = (
  error: OwnError,
  webhook: Webhook<Kinds> | undefined,
) => unknown

/** The loggable part of a refused request. Its query is left out, since it holds the callback token. */
export interface RejectedRequest {
  readonly method: string
  /** The URL without its query. */
  readonly path: string
}

/**
 * Called with the reason for every refused request (4xx). The reply waits for the hook for at most one second.
 */
export type RejectedHook = (error: PayhookError, request: RejectedRequest) => unknown

/** Called when the inbox gives up on a notification: its last attempt failed, or its body is invalid. */
export type DeadHook = (notification: DeadNotification) => unknown

/**
 * Calls the user's hooks and logger. Never throws: a hook that fails or takes too long is logged, and does
 * not change the reply.
 */
export interface Hooks {
  addErrorHook(hook: ErrorHook): void
  addRejectedHook(hook: RejectedHook): void
  addDeadHook(hook: DeadHook): void
  /** @param details additional log fields */
  reportError(error: OwnError, webhook?: Webhook, details?: LogFields): Promise<void>
  reportRejected(error: PayhookError, request: Pick<WebhookRequest, 'method' | 'url'>): Promise<void>
  reportDead(notification: DeadNotification): Promise<void>
  /** Logs a likely mistake. */
  warn(message: string): void
}

/** How long a reply waits for hooks. Anyone can cause a refusal, so slow hooks must not hold up requests. */
const HOOK_LIMIT_MS = 1_000

export function createHooks(logger: Logger | undefined): Hooks {
  const log = createLog(logger)
  const errorHooks: ErrorHook[] = []
  const rejectedHooks: RejectedHook[] = []
  const deadHooks: DeadHook[] = []

  return {
    addErrorHook: (hook) => void errorHooks.push(assertHandler(hook)),
    addRejectedHook: (hook) => void rejectedHooks.push(assertHandler(hook)),
    addDeadHook: (hook) => void deadHooks.push(assertHandler(hook)),
    async reportError(error, webhook, details) {
      const level = error.status < 500 ? 'warn' : 'error'
      const { code, message } = error
      log(level, message, { code, ...webhookFields(webhook), ...details, ...causeFields(error) })
      await callAll(errorHooks, (hook) => hook(error, webhook), log)
    },
    async reportRejected(error, { method, url }) {
      const path = pathOf(url)
      const { code, status, message: reason } = error
      log('warn', 'a request was refused', {
        code,
        reason,
        status,
        method: limited(method),
        path: limited(path),
      })
      await callAll(rejectedHooks, (hook) => hook(error, { method, path }), log)
    },
    async reportDead(notification) {
      const { id: entryId, signature, attempts: attempt, error: reason } = notification
      log('error', 'the inbox gave up on a notification', {
        entryId,
        signature: shortened(signature),
        attempt,
        reason,
      })
      await callAll(deadHooks, (hook) => hook(notification), log)
    },
    warn: (message) => log('warn', message),
  }
}

/** Resolves when all hooks have finished, or after {@link HOOK_LIMIT_MS} while they are still running. */
async function callAll<Hook>(hooks: readonly Hook[], call: (hook: Hook) => unknown, log: Log): Promise<void> {
  if (hooks.length === 0) return
  const calls = hooks.map(async (hook) => {
    try {
      await call(hook)
    } catch (error) {
      log('error', 'a hook failed', { error: toPlainError(error) })
    }
  })
  const late = () => new Error(`a hook took longer than ${HOOK_LIMIT_MS} ms; payhook no longer waits for it`)
  await withTimeLimit(Promise.all(calls), HOOK_LIMIT_MS, late).catch(({ message }) => log('error', message))
}

function webhookFields(webhook: Webhook | undefined) {
  if (webhook === undefined) return {}
  const { kind, signature, attempt } = webhook.context
  return { kind: limited(kind, 100), signature: shortened(signature), attempt }
}

function causeFields({ cause }: Error) {
  return cause === undefined ? {} : { error: toPlainError(cause) }
}

function shortened(signature: string): string {
  return signature.slice(0, 12)
}

/** The URL up to its query, which holds the callback token, even if a proxy has mangled the query. */
function pathOf(url: string): string {
  const [path = ''] = String(url).split(/[?&#;%]|token=/i, 1)
  return path
}
