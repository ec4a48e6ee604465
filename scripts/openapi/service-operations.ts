// The operations of the service that a client calls.

import { GRANTS, SCOPE } from '../../src/sandbox/service/token-route.ts'
import { json, ref, toPascalCase } from './references.ts'
import type { Schema } from './type-schemas.ts'

/** What every request may get. */
const ANY_TIME = {
  '413': ref('TooLarge', 'responses'),
  '421': ref('ForeignHost', 'responses'),
  '429': ref('TooManyRequests', 'responses'),
  '5XX': ref('Failed', 'responses'),
}

export const REQUEST_ID = {
  name: 'X-Request-Id',
  in: 'header',
  required: true,
  description: 'Unique per request.',
  schema: { type: 'string', format: 'uuid' },
}

/** The responses that several operations have. */
export function toResponses(error: Schema) {
  return {
    BadRequest: { description: 'The request is invalid', ...json(error) },
    Unauthorized: {
      description: 'The access token has expired, or is invalid',
      headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
      ...json(error),
    },
    NotFound: {
      description: 'There is no such configuration, or no valid token of the account that owns it',
      ...json(error),
    },
    MethodNotAllowed: { description: 'The service does not have this operation', ...json(error) },
    Conflict: { description: 'The X-Request-Id was used before', ...json(error) },
    TooLarge: { description: 'The body is too large', ...json(error) },
    ForeignHost: { description: 'The sandbox does not serve this Host', ...json(error) },
    TooManyRequests: {
      description: 'Too many requests; the limits are not specified',
      headers: { 'Retry-After': { description: 'In seconds', schema: { type: 'string' } } },
      ...json(error),
    },
    Failed: { description: 'The service failed', ...json(error) },
  }
}

export function toPaths() {
  return {
    '/oauth/token': { post: tokenOperation() },
    '/svc/v1.0/hello': { get: helloOperation() },
    ...webhookPaths(),
  }
}

function tokenOperation() {
  const rejected = (description: string) => ({ description, ...json(ref('OAuthError')) })
  return {
    operationId: 'requestToken',
    tags: ['access'],
    summary: 'Get a token with one of the three grants',
    security: [{ client: [] }],
    parameters: [
      {
        name: 'refresh_token',
        in: 'query',
        description: 'Of the refresh grant, which takes it here and not in the form.',
        schema: { type: 'string' },
      },
    ],
    requestBody: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': {
          schema: { oneOf: [...GRANTS.keys()].map((name) => ref(toGrantName(name))) },
        },
      },
    },
    responses: {
      '200': { description: 'The token', ...json(ref('TokenResponse')) },
      '400': rejected('The grant is rejected'),
      '401': rejected('The client id or the client secret is wrong'),
      ...ANY_TIME,
    },
  }
}

function toGrantName(grant: string): string {
  return `${toPascalCase(grant)}Grant`
}

/** The forms of the three grants. */
export function toGrantSchemas(): Record<string, Schema> {
  return Object.fromEntries(
    [...GRANTS].map(([grant, { form }]) => {
      const values: Record<string, string> = { grant_type: grant, scope: SCOPE }
      const properties = form.map((name) => {
        const value = values[name]
        return [name, { type: 'string', ...(value !== undefined && { const: value }) }]
      })
      return [
        toGrantName(grant),
        { type: 'object', properties: Object.fromEntries(properties), required: form },
      ]
    }),
  )
}

function helloOperation() {
  return {
    operationId: 'hello',
    tags: ['access'],
    summary: 'Check an access token',
    responses: {
      '200': { description: 'The token is valid. The body is not specified.', ...json({}) },
      '401': ref('Unauthorized', 'responses'),
      ...ANY_TIME,
    },
  }
}

function webhookPaths() {
  const operation = (
    operationId: string,
    summary: string,
    description: string,
    schema: object,
    body?: object,
  ) => ({
    operationId,
    tags: ['webhooks'],
    summary,
    description:
      `Needs \`Content-Type: application/json\`${body ? '' : ', though it has no body'}. ${description}`.trim(),
    parameters: [ref('RequestId', 'parameters')],
    ...(body && { requestBody: { required: true, ...json(body) } }),
    responses: {
      '200': { description: 'Done', ...json(schema) },
      '400': ref('BadRequest', 'responses'),
      '401': ref('Unauthorized', 'responses'),
      '404': ref('NotFound', 'responses'),
      '409': ref('Conflict', 'responses'),
      ...ANY_TIME,
    },
  })
  const one = ref('WebhookConfiguration')
  const body = ref('WebhookRequest')
  const list =
    'Whether the service sends a list or a single configuration is not specified; the sandbox sends the Active ones as a list.'
  return {
    '/svc/v1.2/webhooks': {
      get: operation('listWebhooks', 'List configurations', list, { type: 'array', items: one }),
      post: operation('createWebhook', 'Subscribe a URL to a kind of event', '', one, body),
    },
    '/svc/v1.2/webhooks/{webhookId}': {
      parameters: [{ name: 'webhookId', in: 'path', required: true, schema: ref('Identifier') }],
      get: withMethodNotAllowed(
        operation('getWebhook', 'Read a configuration', 'Not specified: the service need not have it.', one),
      ),
      patch: operation('updateWebhook', 'Change a configuration', '', one, body),
      delete: operation('deleteWebhook', 'Make a configuration Inactive', '', one),
    },
  }
}

function withMethodNotAllowed<Operation extends { responses: object }>(operation: Operation): Operation {
  return { ...operation, responses: { ...operation.responses, '405': ref('MethodNotAllowed', 'responses') } }
}
