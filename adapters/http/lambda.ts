import type { KindSchemas, NoKinds } from '../../src/events/kind-schemas.ts'
import type { Webhook } from '../../src/notification/open-notification.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'
import { createRequestVerifier, type VerifierOptions } from '../../src/verification/request-verifier.ts'
import { isHttpEvent, type LambdaEvent, toWebhookRequest, wantsMultiValueHeaders } from './lambda-event.ts'
import { assertReceiver } from './mount-checks.ts'
import { failWrongAdapter } from './wrong-adapter.ts'

export type { LambdaEvent }

/** The reply in the form of API Gateway, function URLs and load balancers. */
export interface LambdaResult {
  statusCode: number
  headers?: Record<string, string>
  multiValueHeaders?: Record<string, string[]>
  body: string
  isBase64Encoded: false
}

type LambdaHandler = (event: LambdaEvent) => Promise<LambdaResult>

/**
 * A Lambda handler that returns the response itself, behind API Gateway (payload 1.0 and 2.0), a function URL
 * or an application load balancer.
 *
 * @throws TypeError if the argument is not a receiver, or not the only one
 * @example
 * export const handler = receiveWebhooks(receiver)
 */
export function receiveWebhooks(receiver: AnyReceiver, ...others: never[]): LambdaHandler {
  assertReceiver(receiver, others)
  return async (...args) => {
    const [event] = args
    if (!isHttpEvent(event)) return failWrongAdapter('payhook/lambda', ...args) as never
    const { status, headers, body } = await receiver.receive(toWebhookRequest(event))
    const result = { statusCode: status, body, isBase64Encoded: false } as const
    if (!wantsMultiValueHeaders(event)) return { ...result, headers: { ...headers } }
    const multiValueHeaders = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value]]),
    )
    return { ...result, multiValueHeaders }
  }
}

/**
 * A function that verifies and parses a Lambda event. You return the response.
 *
 * @throws TypeError if an option is invalid. The returned function rejects with `RequestError`,
 *   `SignatureError` and `PayloadError`, each with the `status` to respond with.
 * @example
 * const verify = verifyWebhook({ clientId })
 * export const handler = async (event) => {
 *   const { event: webhookEvent } = await verify(event)
 *   return { statusCode: 200 }
 * }
 */
export function verifyWebhook<Kinds extends KindSchemas = NoKinds>(
  options: VerifierOptions<Kinds>,
): (event: LambdaEvent) => Promise<Webhook<Kinds>> {
  const verifier = createRequestVerifier(options)
  return async (...args) => {
    const [event] = args
    if (!isHttpEvent(event)) return failWrongAdapter('payhook/lambda', ...args) as never
    return await verifier.verify(toWebhookRequest(event))
  }
}
