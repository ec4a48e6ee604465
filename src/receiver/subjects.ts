import { isSubject } from '../events/subject.ts'
import type { WebhookEvent } from '../events/webhook-event.ts'
import type { ToSubject, Webhook } from '../notification/open-notification.ts'
import type { SignedNotification } from '../notification/signed-notification.ts'
import { type Hooks, shortened } from './hooks.ts'
import { limited, toPlainError } from './logger.ts'

/**
 * What notifications are about, by the `subject` option. A notification must not be lost because the option
 * throws, so that is logged.
 */
export function createSubjects(subject: (event: WebhookEvent) => string | null, hooks: Hooks): ToSubject {
  return ({ signature }, event, kind) => {
    try {
      const given: unknown = subject(event)
      if (given === null || isSubject(given)) return given
      throw new TypeError('it must return null, or 1 to 200 characters without NUL and lone surrogates')
    } catch (error) {
      hooks.warn('subject_invalid', 'the "subject" option failed, so a notification has no subject', {
        kind: limited(kind, 100),
        signature: shortened(signature),
        error: toPlainError(error),
      })
      return null
    }
  }
}

/** What a notification is about, to store it; `null` if it cannot be parsed. */
export function subjectIn(
  signed: SignedNotification,
  open: (signed: SignedNotification) => Webhook,
): string | null {
  try {
    return open(signed).context.subject
  } catch {
    return null
  }
}
