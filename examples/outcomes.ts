import type { Receiver, WebhookEvent } from '../src/index.ts'

/** What an application has handled, by the notification's `deliveryId`. */
export interface Outcomes {
  /**
   * Resolves with the event once it has been handled; with `undefined` when it has not been after ten seconds.
   */
  of(deliveryId: string): Promise<WebhookEvent | undefined>
  /** How often it has been handled. */
  timesHandled(deliveryId: string): number
}

const PATIENCE_MS = 10_000

/** Follows what a receiver with an inbox does after it has answered. */
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
      const timer = setTimeout(() => resolve(undefined), PATIENCE_MS)
      return await Promise.race([at(deliveryId).promise, late]).finally(() => clearTimeout(timer))
    },
    timesHandled: (deliveryId) => at(deliveryId).times,
  }
}
