import { HandlingError } from '../errors.ts'
import type { WebhookEventOf } from '../events/webhook-event.ts'
import type { Webhook } from '../notification/open-notification.ts'
import type { Handlers } from './handlers.ts'
import { fieldsOf, type Hooks } from './hooks.ts'

const SHOWN_CHARACTERS = 64

/**
 * Looks at an event before its handlers run, since they may change it.
 *
 * @returns a function that reports, after they ran, that the event has no handler of its own
 */
export type UnhandledReporter = (webhook: Webhook) => (() => unknown) | undefined

/** @param ownKinds the kinds of the `kinds` option */
export function createUnhandledReporter(
  handlers: Handlers,
  hooks: Hooks,
  ownKinds: readonly string[],
): UnhandledReporter {
  const reported = new Set<string>()
  return (webhook) => {
    const { event } = webhook
    if (handlers.has(event.type)) return undefined
    if (event.type === 'UNRECOGNIZED') {
      const error = unrecognized(event, ownKinds.includes(event.kind))
      const fields = fieldsOf(webhook)
      return () => hooks.reportError(error, webhook, fields)
    }
    if (handlers.hasAny() || reported.has(event.type)) return undefined
    const { type: kind } = event
    reported.add(kind)
    return () => {
      hooks.warn(
        'kind_unhandled',
        `a notification of the kind ${kind} counts as handled, but this process has no handler for it`,
        { kind },
      )
    }
  }
}

/**
 * The error to report for an UNRECOGNIZED event that has no handler.
 *
 * @param isOwnKind whether the issues come from the user's own schema, whose messages and paths may quote the data
 */
function unrecognized({ kind, issues }: WebhookEventOf<'UNRECOGNIZED'>, isOwnKind: boolean): HandlingError {
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
