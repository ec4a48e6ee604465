import { HandlingError } from '../errors.ts'
import type { WebhookEventOf } from '../events/webhook-event.ts'

const SHOWN_CHARACTERS = 64

/**
 * What is reported for an event that no handler takes and no schema describes.
 *
 * @param isOwnKind whether the issues come from a schema of the user's, whose messages may quote the data
 */
export function unrecognized(
  { kind, issues }: WebhookEventOf<'UNRECOGNIZED'>,
  isOwnKind: boolean,
): HandlingError {
  const [first] = issues
  const where =
    first === undefined
      ? ''
      : `: ${quoted(first.path.join('.'))} ${isOwnKind ? 'does not fit its schema' : first.message}`
  return new HandlingError(
    'event_unrecognized',
    `A verified notification of kind ${quoted(kind)} was not recognised${where}. Handle it with on('UNRECOGNIZED').`,
  )
}

/** Text of the sender's that cannot pass for a line of the log, or for a format such as console.log takes. */
function quoted(text: string): string {
  return `"${text.slice(0, SHOWN_CHARACTERS).replaceAll(/[^\w .-]/g, '?')}"`
}
