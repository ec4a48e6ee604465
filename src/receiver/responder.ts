import { type AdapterRequest, isUnread, type WebhookRequest } from '../verification/webhook-request.ts'
import type { Reply } from './reply.ts'

/**
 * Answers a request as `receiver.receive` does, but calls `reply` at once if there is nothing to wait for.
 *
 * @returns a promise if the receiver is wrapped; it rejects if the wrapper does
 */
export type Respond = (request: AdapterRequest, reply: (reply: Reply) => void) => void | Promise<void>

type Receive = (request: WebhookRequest) => Promise<Reply>

const responders = new WeakMap<Receive, Respond>()

/** @param receive the public method, which a wrapper of the receiver may replace */
export function setResponder(receive: Receive, respond: Respond): void {
  responders.set(receive, respond)
}

/** The responder of a receiver, or its `receive` if it is wrapped or from another copy of the package. */
export function responderOf(receiver: { receive: Receive }): Respond {
  return (
    responders.get(receiver.receive) ??
    (async (request, reply) => reply(await receiver.receive(toWebhookRequest(request))))
  )
}

function toWebhookRequest({ body, ...head }: AdapterRequest): WebhookRequest {
  if (!isUnread(body)) return { ...head, body }
  return {
    ...head,
    body: (maxBytes) => new Promise((resolve, reject) => body.readUpTo(maxBytes, resolve, reject)),
  }
}
