import type { Receiver, WebhookEvent } from '../src/index.ts'

/** The events that an application has handled, by `deliveryId`. */
export interface Outcomes {
  /**
   * Resolves with the event once it was handled, or with `undefined` after ten seconds.
   */
  of(deliveryId: string): Promise<WebhookEvent | undefined>
  /** How often the event was handled. */
  timesHandled(deliveryId: string): number
}

const TIMEOUT_MS = 10_000

/** Records what a receiver with an inbox handles. */
export function createOutcomes(receiver: Receiver): Outcomes {
  const events = new Map<string, { times: number } & PromiseWithResolvers<WebhookEvent>>()

  function at(deliveryId: string) {
    const known = events.get(deliveryId) ?? { times: 0, ...Promise.withResolvers<WebhookEvent>() }
    events.set(deliveryId, known)
    return known
  }

  receiver.onAny((event, { deliveryId }) => {
    const entry = at(deliveryId)
    entry.times++
    entry.resolve(event)
  })
  return {
    async of(deliveryId) {
      const { promise: late, resolve } = Promise.withResolvers<undefined>()
      const timer = setTimeout(() => resolve(undefined), TIMEOUT_MS)
      return await Promise.race([at(deliveryId).promise, late]).finally(() => clearTimeout(timer))
    },
    timesHandled: (deliveryId) => at(deliveryId).times,
  }
}
