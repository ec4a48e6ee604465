import { isPayhookError } from '../is-payhook-error.ts'

/** The error of an attempt whose process died. */
export const PROCESS_ENDED = 'Error: The process ended while it handled the notification.'

const MAX_ERROR_CHARACTERS = 1_000

/** What is kept of an error: its name and message. */
export function describeFailure(error: unknown): string {
  let text: string
  try {
    text = String(error)
  } catch {
    // Anything can be thrown, also what has no text.
    text = 'an unprintable value was thrown'
  }
  // Not every engine can keep a NUL or half a surrogate pair.
  return text.slice(0, MAX_ERROR_CHARACTERS).replaceAll('\u0000', '').toWellFormed()
}

/** Whether another attempt cannot end otherwise: the body is no notification. */
export function isFinal(error: unknown): boolean {
  try {
    return isPayhookError(error) && error.name === 'PayloadError'
  } catch {
    return false
  }
}
