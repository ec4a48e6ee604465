import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type LambdaEvent,
  type LambdaResult,
  receiveWebhooks,
  verifyWebhook,
} from '../../../adapters/http/lambda.ts'
import { LAMBDA_FORMS } from '../../../fuzz/send.ts'
import type { SentRequest } from '../../../fuzz/sent-request.ts'
import { verifyingLambda } from '../../../fuzz/verifying-mounts.ts'
import { createReceiver } from '../../../src/index.ts'
import { describeHttpAdapter, type Server } from '../../contracts/http-adapter-suite.ts'
import { listen } from '../../contracts/listen.ts'
import { clients, fixture } from '../../fixture-cases.ts'

/** How gateways pass a request on, as text if it is that. */
const GATEWAYS: Readonly<Record<string, (request: SentRequest) => LambdaEvent>> = {
  'API Gateway, payload 1.0': (request) => LAMBDA_FORMS['payload 1.0'](request, true),
  'API Gateway, payload 2.0, and function URLs': (request) => LAMBDA_FORMS['payload 2.0'](request, false),
  'a load balancer with multi-value headers': (request) => LAMBDA_FORMS['load balancer'](request, true),
  'a load balancer'(request) {
    const { multiValueHeaders, multiValueQueryStringParameters, ...event } = LAMBDA_FORMS['load balancer'](
      request,
      true,
    )
    const single = (values: object | undefined, join: (list: string[]) => string | undefined) =>
      Object.fromEntries(Object.entries(values ?? {}).map(([name, list]) => [name, join(list)]))
    return {
      ...event,
      headers: single(multiValueHeaders, (list) => list.join()),
      queryStringParameters: single(multiValueQueryStringParameters, (list) => list.at(-1)),
    }
  },
}

/** A gateway: reads the whole request, calls the function and writes its result. */
function gateway(
  toEvent: (request: SentRequest) => LambdaEvent,
  handler: (event: LambdaEvent) => LambdaResult | Promise<LambdaResult>,
): Promise<Server> {
  return listen(async (request, response) => {
    const body = await buffer(request).catch(() => undefined)
    if (body === undefined) return
    const { pathname: path, search: query } = new URL(`http://gateway${request.url}`)
    const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value) => [name, value] as const),
    )
    const result = await handler(
      toEvent({ method: request.method ?? '', path, query, headers, chunks: [body] }),
    )
    response.writeHead(result.statusCode, result.headers ?? result.multiValueHeaders).end(result.body)
  })
}

for (const [name, toEvent] of Object.entries(GATEWAYS)) {
  describeHttpAdapter({
    name: `payhook/lambda behind ${name}`,
    streams: false,
    isChecked: name.includes('payload 2.0'),
    receiving: (receiver) => gateway(toEvent, receiveWebhooks(receiver)),
    verifying: (options, handle) => gateway(toEvent, verifyingLambda(options, handle)),
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
      { numRuns: 200 },
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
