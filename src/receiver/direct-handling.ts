import { HandlingError, type HandlingErrorCode } from '../errors.ts'
import { abortContext, type ReceivedNotification } from '../notification/open-notification.ts'
import { withTimeLimit } from '../time-limit.ts'
import { type AttemptParts, outOfTime } from './attempt.ts'
import { isPromiseLike } from './handlers.ts'
import { fieldsOf } from './hooks.ts'
import { assertReadsInOrder } from './receiver-options.ts'
import { RECEIVED, type Reply } from './reply.ts'
import { traceHandlers } from './traced-operations.ts'
import type { Tracing } from './tracing.ts'

const DEFAULT_LIMIT_MS = 30_000

interface Parts extends Pick<AttemptParts, 'open' | 'handlers' | 'hooks' | 'handlerTimeoutMs' | 'current'> {
  readonly tracing: Tracing
}

/** Creates what runs the handlers before the reply, without an inbox. */
export function createDirectHandling(parts: Parts): (received: ReceivedNotification) => Promise<Reply> {
  const { open, handlers, hooks, tracing, current, handlerTimeoutMs: limitMs = DEFAULT_LIMIT_MS } = parts
  const tooSlow = () => outOfTime(limitMs)

  return async (received) => {
    assertReadsInOrder({ current })
    const webhook = open(received, 1)
    const { event, context } = webhook
    const { kind } = context
    const report = handlers.reportOf(webhook)
    try {
      const running = tracing.isOn('process')
        ? traceHandlers(tracing, webhook, handlers)
        : handlers.run(event, context)
      if (isPromiseLike(running)) await withTimeLimit(running, limitMs, tooSlow)
      if (report !== undefined) await report()
      return RECEIVED
    } catch (cause) {
      const error = notHandled('handler_failed', cause)
      abortContext(context, error)
      return await hooks.reportError(error, webhook, fieldsOf(kind, { ...received, attempt: 1 }))
    }
  }
}

export function notHandled(code: HandlingErrorCode, cause: unknown): HandlingError {
  return new HandlingError(code, 'The notification was not handled.', { cause })
}
