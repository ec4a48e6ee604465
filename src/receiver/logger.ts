import { causeOf } from '../cause-of.ts'

/**
 * Where the receiver logs. `console`, winston and custom objects get the message first, then the fields. pino,
 * bunyan and Fastify's logger get the fields first, as they expect.
 *
 * Fields are plain data of limited length. Depending on the message, they are `code`, `reason`, `status`,
 * `method`, `path`, `kind`, `subject`, `signature` (its first 12 digits), `attempt`, `entryId`, `nextAttemptAt`
 * (ISO 8601) and `error` (`{ name, message, code, stack, cause }`). None contains a client id, a callback
 * token, a signature or the body, unless an error that you throw does.
 */
export interface Logger {
  // Methods, not properties, so that a logger with narrower parameters fits.
  warn(message: string, fields: LogFields): void
  error(message: string, fields: LogFields): void
}

/** The fields logged with a message. */
export type LogFields = Readonly<Record<string, unknown>>

/** Logs; never throws. */
export type Log = (level: keyof Logger, message: string, fields?: LogFields) => void

export function createLog(logger: Logger | undefined): Log {
  if (logger === undefined) return createProcessWarnings()
  // pino, bunyan and Fastify make child loggers; winston does too, but has a `log` method, like `console`.
  const { child, log } = logger as { child?: unknown; log?: unknown }
  const takesFieldsFirst = typeof child === 'function' && typeof log !== 'function'
  return (level, text, fields = {}) => {
    const message = `payhook: ${limited(text)}`
    const args = takesFieldsFirst ? [fields, message] : [message, fields]
    // If the logger itself throws or rejects, there is nowhere left to report it.
    void (async () => logger[level](...(args as [string, LogFields])))().catch(() => {})
  }
}

/** Instead of a logger: the first message of each code is a process warning. */
function createProcessWarnings(): Log {
  const warned = new Set<unknown>()
  return (_level, message, { code, reason, error } = {}) => {
    if (warned.has(code ?? message)) return
    warned.add(code ?? message)
    const { stack, message: cause } = (error ?? {}) as Partial<PlainError>
    globalThis.process?.emitWarning?.(
      `${limited(message)}${reason === undefined ? '' : `: ${limited(String(reason))}`} (shown once; set the "logger" option to see all)`,
      { type: 'PayhookWarning', code: code as string, detail: (stack ?? cause) as string },
    )
  }
}

const MAX_CHARACTERS = 1_000
const MAX_STACK_CHARACTERS = 4_000
const MAX_CAUSES = 3

/** An error as plain data, which any logger can print in any format. */
export interface PlainError {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: PlainError
}

/** @param error any value, even one that has no text, since anything can be thrown */
export function toPlainError(error: unknown, causes = MAX_CAUSES): PlainError {
  try {
    if (typeof error !== 'object' || error === null || !('message' in error))
      return { name: typeof error, message: limited(String(error)) }
    const { name, message, code, stack } = error as Partial<Error> & { readonly code?: unknown }
    const cause = causeOf(error)
    return {
      name: limited(String(name)),
      message: limited(String(message)),
      ...(typeof code === 'string' && { code: limited(code) }),
      ...(stack !== undefined && { stack: limited(String(stack), MAX_STACK_CHARACTERS) }),
      ...(cause !== undefined && causes > 0 && { cause: toPlainError(cause, causes - 1) }),
    }
  } catch {
    return { name: typeof error, message: 'an unprintable value was thrown' }
  }
}

/** Text of limited length, so that a sender cannot fill the log. */
export function limited(text: string, characters = MAX_CHARACTERS): string {
  return text.length > characters ? `${text.slice(0, characters)}…` : text
}
