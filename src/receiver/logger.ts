/**
 * Where the receiver logs. `console`, winston and an object of your own get the message first and the fields
 * second. pino, bunyan and Fastify's logger get the fields first, as they expect.
 *
 * Fields are plain data of limited length. Depending on the event, they are `code`, `reason`,
 * `status`, `method`, `path`, `kind`, `deliveryId` (its first 12 digits), `attempt`, `entryId`, `nextAttemptAt`
 * (ISO 8601) and `error` (`{ name, message, stack, cause }`). None holds a client id, a callback token, a
 * signature or the body, unless an error of your own does.
 */
export interface Logger {
  // Methods, not properties, so that a logger with narrower parameters fits.
  warn(message: string, fields: LogFields): void
  error(message: string, fields: LogFields): void
}

/** What is logged beside the message. */
export type LogFields = Readonly<Record<string, unknown>>

/** @throws TypeError unless it has the methods of a logger */
export function assertLogger(logger: Logger | undefined): Logger | undefined {
  if (logger === undefined) return undefined
  if (typeof logger?.warn === 'function' && typeof logger.error === 'function') return logger
  throw new TypeError(
    '"logger" option must have the methods warn(message, fields) and error(message, fields)',
  )
}

/** Logs; never throws. */
export type Log = (level: keyof Logger, message: string, fields?: LogFields) => void

export function createLog(logger: Logger | undefined): Log {
  if (logger === undefined) return () => {}
  const write = takesFieldsFirst(logger) ? fieldsFirst : messageFirst
  return (level, message, fields = {}) => {
    // If the logger itself throws or rejects, there is nowhere left to report it.
    void (async () => write(logger, level, `payhook: ${limited(message)}`, fields))().catch(() => {})
  }
}

/** pino, bunyan and Fastify make child loggers; winston does too, but has a `log` method, as `console` has. */
function takesFieldsFirst(logger: object): boolean {
  const { child, log } = logger as { child?: unknown; log?: unknown }
  return typeof child === 'function' && typeof log !== 'function'
}

function messageFirst(logger: Logger, level: keyof Logger, message: string, fields: LogFields): unknown {
  return logger[level](message, fields)
}

function fieldsFirst(logger: object, level: keyof Logger, message: string, fields: LogFields): unknown {
  return (logger as Record<keyof Logger, (fields: LogFields, message: string) => unknown>)[level](
    fields,
    message,
  )
}

const MAX_CHARACTERS = 1_000
const MAX_STACK_CHARACTERS = 4_000
const MAX_CAUSES = 3

/** An error as plain data, which every logger prints and every format can carry. */
export interface PlainError {
  readonly name: string
  readonly message: string
  readonly stack?: string
  readonly cause?: PlainError
}

/** @param error anything, as anything can be thrown, also what has no text */
export function toPlainError(error: unknown, causes = MAX_CAUSES): PlainError {
  try {
    return describe(error, causes)
  } catch {
    return { name: typeof error, message: 'an unprintable value was thrown' }
  }
}

function describe(error: unknown, causes: number): PlainError {
  if (typeof error !== 'object' || error === null || !('message' in error)) {
    return { name: typeof error, message: limited(String(error)) }
  }
  const { name, message, stack, cause } = error as Partial<Error>
  return {
    name: limited(String(name)),
    message: limited(String(message)),
    ...(stack !== undefined && { stack: limited(String(stack), MAX_STACK_CHARACTERS) }),
    ...(cause !== undefined && causes > 0 && { cause: toPlainError(cause, causes - 1) }),
  }
}

/** Text of limited length, so that a sender cannot fill the log. */
export function limited(text: string, characters = MAX_CHARACTERS): string {
  return text.length > characters ? `${text.slice(0, characters)}…` : text
}
