import { HandlingError, PayloadError } from '../errors.ts'
import { PARSED_KINDS } from '../events/kinds.ts'
import type { Issue, WebhookEvent, WebhookEventOf, WebhookEventType } from '../events/webhook-event.ts'
import { throwIfAborted, type Webhook, type WebhookContext } from '../notification/open-notification.ts'
import { fieldsOf, type Hooks } from './hooks.ts'

/** Handles events. A notification counts as handled once the function returns or its promise resolves. */
export type Handler<
  Event extends { readonly type: string } = WebhookEvent,
  Tx = undefined,
  Current = undefined,
> = (event: Event, context: WebhookContext<Tx, Current>) => unknown

export type Handlers = ReturnType<typeof createHandlers>

/** The most kinds that are remembered as logged, since a sender may make up any number. */
const MAX_LOGGED_KINDS = 1_000

export function createHandlers(ownKinds: readonly string[], hooks: Hooks) {
  const kinds = new Set<string>([...PARSED_KINDS, ...ownKinds])
  // The lists are replaced, not changed, so that a handler can add handlers.
  const byType = new Map<WebhookEventType, readonly Handler[]>()
  let forAny: readonly Handler[] = []
  const logged = new Set<string>()
  const isHandled = ({ type }: WebhookEvent) => byType.has(type) || forAny.length > 0

  function isFirst(kind: string): boolean {
    const name = kind.slice(0, MAX_SHOWN)
    if (logged.has(name) || logged.size === MAX_LOGGED_KINDS) return false
    // A copy, since a part of a string keeps all of it in memory.
    logged.add([...name].join(''))
    return true
  }

  function reportUnhandled(webhook: Webhook): (() => unknown) | undefined {
    const { event } = webhook
    if (event.type === 'UNRECOGNIZED') {
      const { kind } = event
      const error = unrecognized(event, ownKinds.includes(kind))
      const fields = fieldsOf(webhook.context.kind, webhook.context)
      return () => (kinds.has(kind) || isFirst(kind)) && hooks.reportError(error, webhook, fields)
    }
    const { type: kind } = event
    if (forAny.length > 0 || !isFirst(kind)) return undefined
    const message = `a notification of the kind ${kind} counts as handled, but this process has no handler for it`
    return () => hooks.warn('kind_unhandled', message, { kind })
  }

  return {
    add<Type extends WebhookEventType>(type: Type, handler: Handler<WebhookEventOf<Type>>) {
      if (type !== 'UNRECOGNIZED' && !kinds.has(type))
        throw new TypeError(
          `"${type}" is not an event type. The types are ${[...kinds, 'UNRECOGNIZED'].join(', ')}. ` +
            'An unknown kind arrives as UNRECOGNIZED, with its name in event.kind, unless the "kinds" option has a ' +
            'schema for it.',
        )
      byType.set(type, [...(byType.get(type) ?? []), assertHandler(handler)])
    },
    addForAny(handler: Handler) {
      forAny = [...forAny, assertHandler(handler)]
    },
    isEmpty: () => byType.size === 0 && forAny.length === 0,
    isHandled,
    /** @throws PayloadError if its kind is known, its data does not fit, and nothing handles that */
    assertFits(event: WebhookEvent) {
      if (event.type !== 'UNRECOGNIZED' || !kinds.has(event.kind) || isHandled(event)) return
      const issues = event.issues.map(toText).join('; ')
      // A log has the first line only: the user's own schema may quote the data.
      const separator = ownKinds.includes(event.kind) ? '.\n' : ': '
      throw new PayloadError(
        'data_invalid',
        `The data of a notification of kind ${quoted(event.kind)} does not match its schema${separator}${issues}`,
      )
    },
    /** Decides, before the handlers may change the event, whether to report that it has no handler. */
    reportOf(webhook: Webhook): (() => unknown) | undefined {
      return byType.has(webhook.event.type) ? undefined : reportUnhandled(webhook)
    },
    /**
     * Runs the handlers for the type, then those for any type, one after another. Stops at the first failure,
     * or if the context is aborted.
     *
     * @returns a promise only if a handler returns one: it would be a tenth of what `receive` costs
     */
    run(webhook: Webhook): unknown {
      let running: unknown
      const { event, context } = webhook
      const own = byType.get(event.type) ?? []
      for (const handler of forAny.length === 0 ? own : [...own, ...forAny]) {
        running = isPromiseLike(running) ? runAfter(running, handler, webhook) : handler(event, context)
      }
      return running
    },
  }
}

async function runAfter(
  earlier: PromiseLike<unknown>,
  handler: Handler,
  { event, context }: Webhook,
): Promise<unknown> {
  await earlier
  throwIfAborted(context)
  return handler(event, context)
}

/** @throws TypeError unless it is a function. A call of a generator function would run nothing of it */
export function assertHandler<Fn>(handler: Fn): Fn & Handler {
  if (typeof handler !== 'function') throw new TypeError('a handler must be a function')
  if (/Generator/.test(Object.prototype.toString.call(handler)))
    throw new TypeError('a handler must not be a generator function')
  return handler as Fn & Handler
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | undefined | null)?.then === 'function'
}

/** @param isOwnKind whether the issues come from the user's own schema, which may quote the data */
function unrecognized({ kind, issues }: WebhookEventOf<'UNRECOGNIZED'>, isOwnKind: boolean): HandlingError {
  const [first] = issues
  let reason = ''
  if (isOwnKind) reason = ': its data does not match its schema'
  else if (first !== undefined) reason = `: ${toText(first)}`
  return new HandlingError(
    'event_unrecognized',
    `A verified notification of kind ${quoted(kind)} was not recognized${reason}. Handle it with on('UNRECOGNIZED').`,
  )
}

const toText = ({ path, message }: Issue) => `${quoted(path.join('.') || 'data')} ${message}`

const MAX_SHOWN = 64

/** Quotes text from the sender, without characters that could forge log lines or act as a format string. */
function quoted(text: string): string {
  return `"${text.slice(0, MAX_SHOWN).replaceAll(/[^\w .-]/g, '?')}"`
}
