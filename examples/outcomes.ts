import type { Receiver, WebhookEvent } from '../src/index.ts'

/** The events that an application has handled, by `signature`. */
export interface Outcomes {
  /**
   * Resolves with the event once it was handled, or with `undefined` after ten seconds.
   */
  of(signature: string): Promise<WebhookEvent | undefined>
  /** How often the event was handled. */
  timesHandled(signature: string): number
}

const TIMEOUT_MS = 10_000

/** Records what a receiver with an inbox handles. */
export function createOutcomes(receiver: Receiver): Outcomes {
  const events = new Map<string, { times: number } & PromiseWithResolvers<WebhookEvent>>()

  function at(signature: string) {
    const known = events.get(signature) ?? { times: 0, ...Promise.withResolvers<WebhookEvent>() }
    events.set(signature, known)
    return known
  }

  receiver.onAny((event, { signature }) => {
    const entry = at(signature)
    entry.times++
    entry.resolve(event)
  })
  return {
    async of(signature) {
      const { promise: late, resolve } = Promise.withResolvers<undefined>()
      const timer = setTimeout(() => resolve(undefined), TIMEOUT_MS)
      return await Promise.race([at(signature).promise, late]).finally(() => clearTimeout(timer))
    },
    timesHandled: (signature) => at(signature).times,
  }
}
