import { PARSED_KINDS } from '../events/kinds.ts'
import type { WebhookEvent, WebhookEventOf, WebhookEventType } from '../events/webhook-event.ts'
import { throwIfAborted, type WebhookContext } from '../notification/open-notification.ts'

/** Handles events. A notification counts as handled once the function returns or its promise resolves. */
export type Handler<Event extends { readonly type: string } = WebhookEvent> = (
  event: Event,
  context: WebhookContext,
) => unknown

export type Handlers = ReturnType<typeof createHandlers>

/**
 * The handlers of a receiver, by the type of event.
 *
 * @param ownKinds the kinds of the `kinds` option
 */
export function createHandlers(ownKinds: Iterable<string>) {
  const types = new Set<string>([...PARSED_KINDS, ...ownKinds, 'UNRECOGNIZED'])
  // The lists are replaced, not changed, so that a handler can add handlers.
  const byType = new Map<WebhookEventType, readonly Handler[]>()
  let forAny: readonly Handler[] = []

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
    /** Whether there is a handler for this type; handlers for any type do not count. */
    has: (type: WebhookEventType) => byType.has(type),
    hasAny: () => forAny.length > 0,
    /**
     * Runs the handlers for the type, then those for any type, one after another. Stops at the first failure, or
     * if the context is aborted.
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
