import type { Receiver, WebhookEvent } from '../src/index.ts'

/** What an application has handled, by the notification's `deliveryId`. */
export interface Outcomes {
  /** Resolves with the event once it has been handled. */
  of(deliveryId: string): Promise<WebhookEvent>
  /** How often it has been handled. */
  timesHandled(deliveryId: string): number
}

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
  return { of: (deliveryId) => at(deliveryId).promise, timesHandled: (deliveryId) => at(deliveryId).times }
}
