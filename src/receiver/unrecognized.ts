import { HandlingError } from '../errors.ts'
import type { WebhookEventOf } from '../events/webhook-event.ts'

const SHOWN_CHARACTERS = 64

/**
 * The error to report for an UNRECOGNIZED event that has no handler.
 *
 * @param isOwnKind whether the issues come from the user's own schema, whose messages and paths may quote the data
 */
export function unrecognized(
  { kind, issues }: WebhookEventOf<'UNRECOGNIZED'>,
  isOwnKind: boolean,
): HandlingError {
  const [first] = issues
  let reason = ''
  if (isOwnKind) reason = ': its data does not match its schema'
  else if (first !== undefined) reason = `: ${quoted(first.path.join('.'))} ${first.message}`
  return new HandlingError(
    'event_unrecognized',
    `A verified notification of kind ${quoted(kind)} was not recognized${reason}. Handle it with on('UNRECOGNIZED').`,
  )
}

/** Quotes text from the sender, without characters that could forge log lines or act as a format string. */
function quoted(text: string): string {
  return `"${text.slice(0, SHOWN_CHARACTERS).replaceAll(/[^\w .-]/g, '?')}"`
}
