import { buffer } from 'node:stream/consumers'
import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type LambdaEvent,
  type LambdaResult,
  receiveWebhooks,
  verifyWebhook,
} from '../../../adapters/http/lambda.ts'
import { createReceiver, isPayhookError } from '../../../src/index.ts'
import { describeHttpAdapter, type Server } from '../../contracts/http-adapter-suite.ts'
import { listen } from '../../contracts/listen.ts'
import { clients, fixture } from '../../fixture-cases.ts'

type Incoming = { method: string; url: URL; rawHeaders: string[]; body: Buffer }
type ToEvent = (incoming: Incoming) => object

/** The event formats of the gateways. */
const gateways: Record<string, ToEvent> = {
  'API Gateway, payload 1.0': ({ method, url, rawHeaders, body }) =>
    ({
      httpMethod: method,
      path: url.pathname,
      headers: lastOf(rawHeaders),
      multiValueHeaders: allOf(rawHeaders),
      queryStringParameters: Object.fromEntries(url.searchParams),
      multiValueQueryStringParameters: multiValues(url.searchParams),
      ...asText(body),
      requestContext: {},
    }) as Partial<APIGatewayProxyEvent>,
  'API Gateway, payload 2.0, and function URLs': ({ method, url, rawHeaders, body }) =>
    ({
      version: '2.0',
      rawPath: url.pathname,
      rawQueryString: url.search.slice(1),
      headers: joinedOf(rawHeaders),
      requestContext: { http: { method, path: url.pathname } },
      body: body.toString('base64'),
      isBase64Encoded: true,
    }) as unknown as APIGatewayProxyEventV2,
  'a load balancer': ({ method, url, rawHeaders, body }) =>
    ({
      httpMethod: method,
      path: url.pathname,
      headers: joinedOf(rawHeaders),
      queryStringParameters: rawParameters(url),
      ...asText(body),
      requestContext: { elb: { targetGroupArn: 'arn' } },
    }) as ALBEvent,
  'a load balancer with multi-value headers': ({ method, url, rawHeaders, body }) =>
    ({
      httpMethod: method,
      path: url.pathname,
      multiValueHeaders: allOf(rawHeaders),
      multiValueQueryStringParameters: Object.fromEntries(
        Object.entries(rawParameters(url)).map(([name, value]) => [name, [value]]),
      ),
      ...asText(body),
      requestContext: { elb: { targetGroupArn: 'arn' } },
    }) as ALBEvent,
}

/** A gateway: reads the whole request, calls the function and writes its result. */
function gateway(
  toEvent: ToEvent,
  handler: (event: LambdaEvent) => LambdaResult | Promise<LambdaResult>,
): Promise<Server> {
  return listen(async (request, response) => {
    const body = await buffer(request).catch(() => undefined)
    if (body === undefined) return
    const url = new URL(`http://gateway${request.url}`)
    const event = toEvent({ method: request.method ?? '', url, rawHeaders: request.rawHeaders, body })
    const result = await handler(event)
    response.writeHead(result.statusCode, result.headers ?? result.multiValueHeaders).end(result.body)
  })
}

for (const [name, toEvent] of Object.entries(gateways)) {
  describeHttpAdapter({
    name: `payhook/lambda behind ${name}`,
    streams: false,
    receiving: (receiver) => gateway(toEvent, receiveWebhooks(receiver)),
    verifying(options) {
      const verify = verifyWebhook(options)
      return gateway(toEvent, async (event) => {
        try {
          const { event: webhookEvent, context } = await verify(event)
          return toResult(200, { type: webhookEvent.type, clientId: context.clientId })
        } catch (error) {
          if (!isPayhookError(error)) throw error
          return toResult(error.status, { code: error.code })
        }
      })
    },
  })
}

describe('payhook/lambda', () => {
  it('accepts an event without headers, query or body', async () => {
    const verify = verifyWebhook({ clientId: 'a' })
    await expect(verify({ httpMethod: 'POST', path: '/', headers: null, body: null })).rejects.toMatchObject({
      code: 'signature_missing',
    })
  })

  it('responds with the multi-value form of headers to a load balancer that uses it', async () => {
    const receive = receiveWebhooks(createReceiver({ clientId: 'a' }))
    const result = await receive({
      httpMethod: 'POST',
      path: '/',
      multiValueHeaders: { host: ['shop.example'] },
    })
    expect(result.multiValueHeaders).toMatchObject({ 'content-type': ['application/json; charset=utf-8'] })
    expect(result).not.toHaveProperty('headers')
  })

  const sqs = { Records: [{ messageId: '1', body: '{"type":"VBA_TRANSACTION"}', eventSource: 'aws:sqs' }] }

  it.each([sqs, {}, null, undefined, { requestContext: null }, { requestContext: 'x' }])(
    'rejects an event that is not an HTTP request, so that its source keeps it: %j',
    async (event) => {
      const receiver = createReceiver({ clientId: 'a' })
      for (const handle of [receiveWebhooks(receiver), verifyWebhook({ clientId: 'a' })]) {
        await expect(handle(event as never)).rejects.toThrow(
          'payhook/lambda is mounted in the wrong framework, or in the wrong place',
        )
      }
    },
  )

  it('responds to any request', async () => {
    const receive = receiveWebhooks(createReceiver({ clientId: clients.default }))
    const part = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()))
    const event = fc.record(
      {
        httpMethod: fc.oneof(fc.constant('POST'), fc.string({ minLength: 1 })),
        path: part,
        rawPath: part,
        rawQueryString: part,
        queryStringParameters: part,
        multiValueQueryStringParameters: part,
        headers: part,
        multiValueHeaders: part,
        body: part,
        isBase64Encoded: part,
        requestContext: fc.oneof(fc.record({ http: part, elb: part }), part),
      },
      { requiredKeys: ['httpMethod'] },
    )
    await fc.assert(
      fc.asyncProperty(event, async (odd) => {
        const { statusCode, body } = await receive(JSON.parse(JSON.stringify(odd)))
        expect([statusCode, typeof JSON.parse(body).code]).toEqual([expect.any(Number), 'string'])
        expect(statusCode).toBeGreaterThanOrEqual(400)
      }),
      { numRuns: 400 },
    )
  })

  it('uses the single values if the multi-value form is empty or missing', async () => {
    const verify = verifyWebhook({ clientId: clients.default, callbackToken: 'a-secret-of-16-or-more' })
    const { body, signature } = fixture('outbound-payment-stringified')
    const event = {
      httpMethod: 'POST',
      path: '/',
      headers: { 'ACCESS-SIGNATURE': String(signature) },
      queryStringParameters: { token: 'a-secret-of-16-or-more', odd: '\ud800' },
      body: body.toString(),
    }
    expect((await verify(event)).event.type).toBe('OUTBOUND_PAYMENT_STATUS_UPDATED')
    const empty = { multiValueHeaders: {}, multiValueQueryStringParameters: {}, rawQueryString: null }
    expect((await verify({ ...event, ...empty } as never)).event.type).toBe('OUTBOUND_PAYMENT_STATUS_UPDATED')
  })
})

function toResult(statusCode: number, content: object): LambdaResult {
  return { statusCode, body: JSON.stringify(content), isBase64Encoded: false }
}

/** API Gateway and load balancers pass text as is, and everything else as base64. */
function asText(body: Buffer): { body: string | null; isBase64Encoded: boolean } {
  const text = body.toString()
  const isText = Buffer.from(text).equals(body)
  if (body.length === 0) return { body: null, isBase64Encoded: false }
  return isText
    ? { body: text, isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true }
}

function pairsOf(rawHeaders: string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] as string]] : [],
  ) as [string, string][]
}

function lastOf(rawHeaders: string[]): Record<string, string> {
  return Object.fromEntries(pairsOf(rawHeaders))
}

function allOf(rawHeaders: string[]): Record<string, string[]> {
  const all: Record<string, string[]> = {}
  for (const [name, value] of pairsOf(rawHeaders)) all[name] = [...(all[name] ?? []), value]
  return all
}

function joinedOf(rawHeaders: string[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(allOf(rawHeaders)).map(([name, values]) => [name.toLowerCase(), values.join(',')]),
  )
}

function multiValues(parameters: URLSearchParams): Record<string, string[]> {
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]))
}

/** A query as a load balancer passes it: not decoded, and only the last value of a repeated name. */
function rawParameters(url: URL): Record<string, string> {
  const pairs = url.search.slice(1).split('&').filter(Boolean)
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2) as [string, string]))
}
