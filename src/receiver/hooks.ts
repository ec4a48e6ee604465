import type { HandlingError, InboxError, PayhookError, RequestError } from '../errors.ts'
import type { KindSchemas, NoKinds } from '../events/kind-schemas.ts'
import type { Webhook } from '../notification/open-notification.ts'
import { withTimeLimit } from '../time-limit.ts'
import type { WebhookRequest } from '../verification/request-verifier.ts'
import { createLog, type Log, type LogFields, type Logger, limited, toPlainError } from './logger.ts'
import type { DeadNotification } from './receiver-inbox.ts'
import { type Reply, toErrorReply } from './reply.ts'

/** A failure on the receiver's side. */
type OwnError = HandlingError | RequestError | InboxError

/**
 * Called for failures on the receiver's side: a handler failed (`handler_failed`; with an inbox, on every
 * failed attempt), something else of the receiver did (`receiver_failed`), a body parser ran first
 * (`body_consumed`), no schema matches (`event_unrecognized`), or the inbox failed (`inbox_unavailable`,
 * `inbox_misconfigured`). `webhook` is `undefined` if the notification was not parsed. The reply
 * waits for the hook for at most one second.
 */
export type ErrorHook<Kinds extends KindSchemas = NoKinds> = (
  error: OwnError,
  webhook: Webhook<Kinds> | undefined,
) => unknown

/** The loggable part of a rejected request. */
export interface RejectedRequest {
  readonly method: string
  /** The path of the URL. Origin and query are left out, and the callback token is masked wherever it is. */
  readonly path: string
}

/**
 * Called with the reason for every rejected request (4xx). The reply waits for the hook for at most one second.
 */
export type RejectedHook = (error: PayhookError, request: RejectedRequest) => unknown

/**
 * Called when the inbox gives up on a notification: its last attempt failed, or it cannot be read. At least
 * once, and also if the result comes too late to count: another process has taken over, or it was replayed.
 */
export type DeadHook = (notification: DeadNotification) => unknown

/** How long a reply waits for hooks. Anyone can cause a rejection, so slow hooks must not hold up requests. */
const HOOK_LIMIT_MS = 1_000

export type Hooks = ReturnType<typeof createHooks>

/**
 * Calls the user's hooks and logger. Never throws: a hook that fails or takes too long is logged, and does
 * not change the reply. Without a logger, the first report of a code is a process warning, unless there is a
 * hook for it.
 *
 * @param tokens the callback tokens, which are not logged
 */
export function createHooks(logger: Logger | undefined, tokens: readonly string[]) {
  const log = createLog(logger)
  const error: ErrorHook[] = []
  const rejected: RejectedHook[] = []
  const dead: DeadHook[] = []

  async function report<Hook>(
    hooks: readonly Hook[],
    call: (hook: Hook) => unknown,
    ...line: Parameters<Log>
  ): Promise<void> {
    if (logger !== undefined || hooks.length === 0) log(...line)
    if (hooks.length > 0) await callAll(hooks, call, log)
  }

  return {
    error,
    rejected,
    dead,
    async reportError(failure: OwnError, webhook?: Webhook, fields?: LogFields): Promise<Reply> {
      // Before the hooks, which may change the error.
      const reply = toErrorReply(failure)
      const { code, message, status, cause } = failure
      const shown = { code, ...fields, ...(cause !== undefined && { error: toPlainError(cause) }) }
      const level = status < 500 ? 'warn' : 'error'
      await report(error, (hook) => hook(failure, webhook), level, message, shown)
      return reply
    },
    async reportRejected(reason: PayhookError, { method, url }: WebhookRequest): Promise<Reply> {
      const reply = toErrorReply(reason)
      const request = { method: limited(method), path: toLoggedPath(url, tokens) }
      const shown = { code: reason.code, reason: reason.message, status: reason.status, ...request }
      await report(rejected, (hook) => hook(reason, request), 'warn', 'a request was rejected', shown)
      return reply
    },
    reportDead(notification: DeadNotification): Promise<void> {
      const { id: entryId, subject, signature, attempts: attempt, error: lastError } = notification
      // Without its stack and causes.
      const reason = limited(lastError.split('\n', 1)[0] as string)
      const shown = { entryId, ...withSubject(subject), signature: shortened(signature), attempt, reason }
      return report(dead, (hook) => hook(notification), 'error', 'the inbox gave up on a notification', shown)
    },
    /** Logs a likely mistake. */
    warn: (code: string, message: string, fields?: LogFields) => log('warn', message, { code, ...fields }),
    /** Logs what only matters to somebody who reads a log. */
    note(message: string, fields: LogFields) {
      if (logger !== undefined) log('warn', message, fields)
    },
  }
}

/** Resolves when all hooks have finished, or after {@link HOOK_LIMIT_MS} while they are still running. */
async function callAll<Hook>(hooks: readonly Hook[], call: (hook: Hook) => unknown, log: Log): Promise<void> {
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

/** What is logged of a notification. It is not the context, which the handlers may have changed. */
interface Loggable {
  readonly signature: string
  readonly subject: string | null
  readonly attempt: number
}

export function fieldsOf(kind: string, { subject, signature, attempt }: Loggable): LogFields {
  return { kind: limited(kind, 100), ...withSubject(subject), signature: shortened(signature), attempt }
}

const withSubject = (subject: string | null) => subject !== null && { subject }

export const shortened = (signature: string) => signature.slice(0, 12)

/** The path of a URL, without its origin and query. A proxy may have mangled the query that has the token. */
function toLoggedPath(url: string, tokens: readonly string[]): string {
  const [path = ''] = String(url)
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
    .split(/[?#]/, 1)
  const masked = tokens
    .flatMap((token) => [token, encodeURIComponent(token)])
    .reduce((text, token) => text.replaceAll(token, '…'), path)
  return limited(masked.replace(/(token(?:=|%3d|\\u003d)).*/i, '$1…'))
}
