import { causeOf } from '../cause-of.ts'
import { isPayhookError } from '../is-payhook-error.ts'

export const PROCESS_ENDED = 'Error: The process ended while it handled the notification.'

const MAX_CHARACTERS = 8_000
/** Of each error, so that a long one leaves space for its causes. */
const MAX_CHARACTERS_EACH = 3_000
const MAX_CAUSES = 4

/** An error as it is stored: name, message and stack, followed by its causes. */
export function describeFailure(error: unknown): string {
  const texts: string[] = []
  let next = error
  do {
    const [text, cause] = read(next)
    texts.push(text.slice(0, MAX_CHARACTERS_EACH))
    next = cause
  } while (next !== undefined && texts.length <= MAX_CAUSES)
  // PostgreSQL cannot store a NUL or a lone surrogate.
  return texts.join('\nCaused by: ').slice(0, MAX_CHARACTERS).replaceAll('\u0000', '').toWellFormed()
}

/** The text of an error, and its cause. Anything can be thrown, such as a value without a string form. */
function read(error: unknown): [text: string, cause: unknown] {
  try {
    if (!(error instanceof Error)) return [String(error), undefined]
    const text = String(error)
    const stack = String(error.stack)
    // Some set the message later, or have no stack.
    return [stack.startsWith(text) ? stack : text, causeOf(error)]
  } catch {
    return ['The handler threw a value that cannot be printed.', undefined]
  }
}

/** Whether a retry is pointless, because the body is not a notification, or a handler said "never". */
export function isFinal(error: unknown): boolean {
  return isPayhookError(error) && (error.code === 'non_retriable' || error.name === 'PayloadError')
}
