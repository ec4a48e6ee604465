import type { DeadNotification } from './receiver-inbox.ts'
import type { TraceMessages } from './trace-messages.ts'

export type Operation = keyof TraceMessages

/**
 * Node's, where the runtime has it. It is not imported, as bundlers for other runtimes could not resolve it.
 */
const diagnostics = globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')

const channelOf = <Name extends Operation>(name: Name) =>
  diagnostics?.tracingChannel<TraceMessages[Name], TraceMessages[Name]>(`payhook:${name}`)

const CHANNELS: { readonly [Name in Operation]: ReturnType<typeof channelOf<Name>> } = {
  receive: channelOf('receive'),
  put: channelOf('put'),
  process: channelOf('process'),
}

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const

function hasSubscribers(channel: (typeof CHANNELS)[Operation]): boolean {
  // Bun and workerd only say it of the single channels.
  return channel?.hasSubscribers ?? EVENTS.some((event) => channel?.[event].hasSubscribers)
}

/** Sets properties of a message, unless a subscriber has frozen it. */
export function note<Message extends object>(message: Message, facts: Partial<Message>): void {
  for (const [name, fact] of Object.entries(facts)) Reflect.set(message, name, fact)
}

/** Runs around an operation: must call `run` synchronously, exactly once, and await it. `run` never rejects. */
export type Around<Message> = (message: Message, run: () => Promise<void>) => Promise<void>

export type Arounds = { readonly [Name in Operation]: Around<TraceMessages[Name]> }

/** What runs around the operations of a receiver, such as spans. None of it throws or rejects. */
export interface Instrumentation extends Arounds {
  /** Called when the receiver is started, perhaps again. */
  started(): void
  /** Called when the inbox gives up on a notification. */
  dead(notification: DeadNotification): void
  /** Called when another instrumentation takes its place. */
  replaced(): void
}

export type Tracing = ReturnType<typeof createTracing>

/** Tells the subscribers of the tracing channels, and the instrumentation, what a receiver does. */
export function createTracing() {
  let instrumentation: Instrumentation | undefined

  /** Without subscribers there is nothing to tell. */
  const isOn = (name: Operation) => instrumentation !== undefined || hasSubscribers(CHANNELS[name])

  /** @param call notes its result in the message. The result itself may contain personal data */
  async function trace<Name extends Operation, Result>(
    name: Name,
    message: TraceMessages[Name],
    call: () => Promise<Result>,
  ): Promise<Result> {
    let result = undefined as Promise<Result> | undefined
    const run = async () => {
      result = call()
      await result.catch(() => {})
    }
    const arounds: Arounds | undefined = instrumentation
    const inside = () => (arounds === undefined ? run() : arounds[name](message, run))
    const channel = CHANNELS[name]
    // It rejects if a subscriber has frozen the message.
    if (hasSubscribers(channel)) await channel?.tracePromise(inside, message).catch(() => {})
    else await inside()
    return await (result as Promise<Result>)
  }

  return {
    isOn,
    trace,
    /** Sets what runs around the operations, in place of an earlier one. */
    instrument(value: Instrumentation) {
      instrumentation?.replaced()
      instrumentation = value
    },
    started: () => instrumentation?.started(),
    dead: (notification: DeadNotification) => instrumentation?.dead(notification),
  }
}
