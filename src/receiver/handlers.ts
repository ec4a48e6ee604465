import { HandlingError } from '../errors.ts'
import { PARSED_KINDS } from '../events/kinds.ts'
import type { WebhookEvent, WebhookEventOf, WebhookEventType } from '../events/webhook-event.ts'
import { throwIfAborted, type Webhook, type WebhookContext } from '../notification/open-notification.ts'
import { fieldsOf, type Hooks } from './hooks.ts'

/** Handles events. A notification counts as handled once the function returns or its promise resolves. */
export type Handler<Event extends { readonly type: string } = WebhookEvent, Tx = undefined> = (
  event: Event,
  context: WebhookContext<Tx>,
) => unknown

export type Handlers = ReturnType<typeof createHandlers>

/**
 * The handlers of a receiver, by the type of event.
 *
 * @param ownKinds the kinds of the `kinds` option
 */
export function createHandlers(ownKinds: readonly string[], hooks: Hooks) {
  const types = new Set<string>([...PARSED_KINDS, ...ownKinds, 'UNRECOGNIZED'])
  // The lists are replaced, not changed, so that a handler can add handlers.
  const byType = new Map<WebhookEventType, readonly Handler[]>()
  let forAny: readonly Handler[] = []
  /** Kinds that are logged once. */
  const unhandled = new Set<string>()

  return {
    add<Type extends WebhookEventType>(type: Type, handler: Handler<WebhookEventOf<Type>>) {
      if (!types.has(type)) {
        throw new TypeError(
          `"${type}" is not an event type. The types are ${[...types].join(', ')}. ` +
            'An unknown kind arrives as UNRECOGNIZED, with its name in event.kind, unless the "kinds" option has a ' +
            'schema for it.',
        )
      }
      byType.set(type, [...(byType.get(type) ?? []), assertHandler(handler)])
    },
    addForAny(handler: Handler) {
      forAny = [...forAny, assertHandler(handler)]
    },
    isEmpty: () => byType.size === 0 && forAny.length === 0,
    has: ({ type }: WebhookEvent) => byType.has(type) || forAny.length > 0,
    /** Decides, before the handlers may change the event, whether to report that it has no handler. */
    reportOf(webhook: Webhook): (() => unknown) | undefined {
      const { event } = webhook
      if (byType.has(event.type)) return undefined
      if (event.type === 'UNRECOGNIZED') {
        const error = unrecognized(event, ownKinds.includes(event.kind))
        const fields = fieldsOf(webhook)
        return () => hooks.reportError(error, webhook, fields)
      }
      const { type: kind } = event
      if (forAny.length > 0 || unhandled.has(kind)) return undefined
      unhandled.add(kind)
      const message = `a notification of the kind ${kind} counts as handled, but this process has no handler for it`
      return () => hooks.warn('kind_unhandled', message, { kind })
    },
    /**
     * Runs the handlers for the type, then those for any type, one after another. Stops at the first failure,
     * or if the context is aborted.
     *
     * @returns a promise only if a handler returns one
     */
    run(event: WebhookEvent, context: WebhookContext): unknown {
      let running: unknown
      for (const list of [byType.get(event.type), forAny]) {
        for (const handler of list ?? []) {
          running = isPromiseLike(running)
            ? Promise.resolve(running).then(() => {
                throwIfAborted(context)
                return handler(event, context)
              })
            : handler(event, context)
        }
      }
      return running
    },
  }
}

/** @throws TypeError unless it is a function */
export function assertHandler<Fn>(handler: Fn): Fn & Handler {
  if (typeof handler !== 'function') throw new TypeError('a handler must be a function')
  return handler as Fn & Handler
}

/** Whether a value has a `then` method. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | undefined | null)?.then === 'function'
}

/**
 * The error to report for an UNRECOGNIZED event that has no handler.
 *
 * @param isOwnKind whether the issues come from the user's own schema, which may quote the data
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
  return `"${text.slice(0, 64).replaceAll(/[^\w .-]/g, '?')}"`
}
