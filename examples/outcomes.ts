import { isPayhookError, parse, type Receiver, type WebhookEvent } from '../src/index.ts'

/** What became of a notification that was acknowledged: the event that was handled, or why it is dead. */
export type Outcome = { readonly event: WebhookEvent } | { readonly deadCode: string }

/** Follows what a receiver with an inbox does after it has answered. */
export function createOutcomes(receiver: Receiver): { of(deliveryId: string): Promise<Outcome> } {
  const pending = new Map<string, PromiseWithResolvers<Outcome>>()

  function at(deliveryId: string): PromiseWithResolvers<Outcome> {
    const known = pending.get(deliveryId) ?? Promise.withResolvers<Outcome>()
    pending.set(deliveryId, known)
    return known
  }

  receiver.onAny((event, { deliveryId }) => at(deliveryId).resolve({ event }))
  receiver.onDead(({ deliveryId, rawBody }) => at(deliveryId).resolve({ deadCode: codeOf(rawBody) }))
  return { of: (deliveryId) => at(deliveryId).promise }
}

function codeOf(rawBody: Uint8Array): string {
  try {
    parse(rawBody)
  } catch (error) {
    if (isPayhookError(error)) return error.code
  }
  return 'handler_failed'
}
