import { isPayhookError } from '../is-payhook-error.ts'

/** The stored error of an attempt whose process crashed. */
export const PROCESS_ENDED = 'Error: The process ended while it handled the notification.'

const MAX_ERROR_CHARACTERS = 1_000

/** The name and message of an error, as they are stored. */
export function describeFailure(error: unknown): string {
  let text: string
  try {
    text = String(error)
  } catch {
    // A thrown value may have no string form.
    text = 'The handler threw a value that cannot be printed.'
  }
  // PostgreSQL cannot store a NUL or a lone surrogate.
  return text.slice(0, MAX_ERROR_CHARACTERS).replaceAll('\u0000', '').toWellFormed()
}

/** Whether a retry is pointless, because the body is not a notification. */
export function isFinal(error: unknown): boolean {
  try {
    return isPayhookError(error) && error.name === 'PayloadError'
  } catch {
    return false
  }
}
