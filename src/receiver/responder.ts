import type { WebhookRequest } from '../verification/webhook-request.ts'
import type { Reply } from './reply.ts'

/**
 * Answers a request as `receiver.receive` does, but synchronously if there is nothing to wait for. Never
 * throws.
 */
export type Respond = (request: WebhookRequest) => Reply | Promise<Reply>

const responders = new WeakMap<Respond, Respond>()

/** @param receive the public method, which a wrapper of the receiver may replace */
export function setResponder(receive: Respond, respond: Respond): void {
  responders.set(receive, respond)
}

/** The responder of a receiver, or its `receive` if it is wrapped or from another copy of the package. */
export function responderOf(receiver: { receive: Respond }): Respond {
  return responders.get(receiver.receive) ?? ((request) => receiver.receive(request))
}
