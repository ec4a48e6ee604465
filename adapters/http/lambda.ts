import { Buffer } from 'node:buffer'
import type { KindSchemas, NoKinds } from '../../src/events/kind-schemas.ts'
import type { Webhook } from '../../src/notification/open-notification.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'
import {
  createRequestVerifier,
  type VerifierOptions,
  type WebhookRequest,
} from '../../src/verification/request-verifier.ts'
import { assertReceiver, failWrongMount } from './mounting.ts'

type Values = Readonly<Record<string, string | undefined>> | null | undefined
type MultiValues = Readonly<Record<string, readonly string[] | undefined>> | null | undefined

/** The part of Lambda events that payhook uses: API Gateway (1.0 and 2.0), function URLs, load balancers. */
export interface LambdaEvent {
  readonly httpMethod?: string
  readonly path?: string
  readonly rawPath?: string
  readonly rawQueryString?: string
  readonly queryStringParameters?: Values
  readonly multiValueQueryStringParameters?: MultiValues
  readonly headers?: Values
  readonly multiValueHeaders?: MultiValues
  readonly body?: string | null
  readonly isBase64Encoded?: boolean
  readonly requestContext?: object
}

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
    if (!isHttpEvent(event)) return failWrongMount('payhook/lambda', args) as never
    const { status, headers, body } = await receiver.receive(toWebhookRequest(event))
    const result = { statusCode: status, body, isBase64Encoded: false } as const
    // A load balancer that uses the multi-value form of headers needs it in the response, too.
    if (event.headers || !event.multiValueHeaders) return { ...result, headers: { ...headers } }
    const lists = Object.entries(headers).map(([name, value]) => [name, [value]])
    return { ...result, multiValueHeaders: Object.fromEntries(lists) }
  }
}

/**
 * A function that verifies and parses a Lambda event. You return the response.
 *
 * @throws TypeError if an option is invalid. The returned function rejects with `RequestError`,
 *   `SignatureError` and `PayloadError`, each with the `status` to respond with.
 * @example
 * const verify = verifyWebhook({ clientId, callbackToken })
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
    // Lambda passes more: it would take the result for a response.
    if (args.length > 1 || !isHttpEvent(event)) return failWrongMount('payhook/lambda', args) as never
    return await verifier.verify(toWebhookRequest(event))
  }
}

/** Whether an event is an HTTP request. A queue keeps its messages if the function throws for others. */
function isHttpEvent(event: LambdaEvent | null | undefined): event is LambdaEvent {
  return methodOf(event) !== ''
}

function toWebhookRequest(event: LambdaEvent): WebhookRequest {
  const { path, rawPath, headers, multiValueHeaders, body, isBase64Encoded } = event
  return {
    method: methodOf(event),
    url: `${toText(rawPath ?? path)}?${queryOf(event)}`,
    headers: filled(multiValueHeaders) ?? headers ?? {},
    body: isBase64Encoded && typeof body === 'string' ? Buffer.from(body, 'base64') : (body ?? ''),
  }
}

function methodOf(event: LambdaEvent | null | undefined): string {
  const version2 = event?.requestContext as { http?: { method?: string } } | null | undefined
  return toText(event?.httpMethod ?? version2?.http?.method)
}

/** The multi-value form, if there is one. The other form keeps only the last value of a name. */
function filled<Form extends object>(multiValues: Form | null | undefined): Form | undefined {
  return multiValues && Object.keys(multiValues).length > 0 ? multiValues : undefined
}

/** An unknown event may have any value where text is expected. */
function toText(value: unknown): string {
  return typeof value === 'object' ? '' : String(value ?? '')
}

function queryOf(event: LambdaEvent): string {
  const { rawQueryString, multiValueQueryStringParameters, queryStringParameters, requestContext } = event
  if (typeof rawQueryString === 'string') return rawQueryString
  const fromLoadBalancer = (requestContext as { elb?: unknown } | null | undefined)?.elb !== undefined
  // Load balancers pass the query as it was in the URL, API Gateway passes it decoded.
  const encode = (value: unknown) =>
    fromLoadBalancer ? toText(value) : encodeURIComponent(toText(value).toWellFormed())
  return Object.entries(filled(multiValueQueryStringParameters) ?? queryStringParameters ?? {})
    .flatMap(([name, values]) => [values ?? []].flat().map((value) => `${encode(name)}=${encode(value)}`))
    .join('&')
}
