// The document of the service: what a client calls, and the notifications that a receiver gets.

import type ts from 'typescript'
import { CODES } from '../../src/errors.ts'
import { EVENT_KINDS, PARSED_KINDS } from '../../src/events/kinds.ts'
import { GRANTS } from '../../src/sandbox/service/assert-grant.ts'
import { SCOPE } from '../../src/sandbox/service/oauth-model.ts'
import { readTypes, type Schema } from './read-types.ts'
import { toWireSchemas, WIRE_TYPES } from './wire-schemas.ts'

const ref = (name: string, kind = 'schemas') => ({ $ref: `#/components/${kind}/${name}` })
const json = (schema: object) => ({ content: { 'application/json': { schema } } })

export const SERVICE_MODULES = [...WIRE_TYPES, 'src/sandbox/service/send-error.ts']

/** @param version of the package */
export function createServiceDocument(program: ts.Program, version: string) {
  const types = readTypes(program, SERVICE_MODULES)
  const error = types.schemaOf('ServiceErrorJson')
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payments service',
      version,
      description:
        'The API of the payments service, as payhook calls it and its sandbox serves it, and the notifications that the service sends. docs/protocol.md says what the service leaves open.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{baseUrl}',
        description: 'The service, or a sandbox',
        variables: { baseUrl: { default: 'http://127.0.0.1:4949' } },
      },
    ],
    tags: [
      { name: 'access', description: 'Tokens' },
      { name: 'webhooks', description: 'Which URL gets which kind of event' },
      { name: 'notifications', description: 'What the service sends to these URLs' },
    ],
    security: [{ bearer: [] }],
    paths: {
      '/oauth/token': { post: tokenOperation() },
      '/svc/v1.0/hello': { get: helloOperation() },
      ...webhookPaths(),
    },
    webhooks: Object.fromEntries(PARSED_KINDS.map((kind) => [kind, { post: notification(kind) }])),
    components: {
      schemas: {
        ...toWireSchemas(types),
        EventKind: { type: 'string', enum: EVENT_KINDS },
        WebhookRequest: {
          type: 'object',
          properties: {
            event: ref('EventKind'),
            callbackURL: {
              type: 'string',
              pattern: '^[hH][tT][tT][pP][sS]?://',
              description: 'An absolute URL. Responses spell it `callbackUrl`.',
            },
          },
          required: ['event', 'callbackURL'],
        },
        ...grantSchemas(),
        ...types.components,
        OAuthError: {
          type: 'object',
          properties: {
            error: { type: 'string', description: 'A code of RFC 6749, section 5.2.' },
            error_description: { type: 'string' },
          },
          required: ['error'],
        },
        Received: RECEIVED,
      },
      parameters: {
        RequestId: {
          name: 'X-Request-Id',
          in: 'header',
          required: true,
          description: 'Unique per request.',
          schema: { type: 'string', format: 'uuid' },
        },
        Signature: {
          name: 'ACCESS-SIGNATURE',
          in: 'header',
          required: true,
          description:
            'The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body.',
          schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        },
      },
      responses: {
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
        ...rejections(),
      },
      securitySchemes: {
        client: { type: 'http', scheme: 'basic', description: 'The client id and the client secret' },
        bearer: {
          type: 'oauth2',
          flows: {
            clientCredentials: { tokenUrl: '/oauth/token', scopes: { [SCOPE]: 'Everything' } },
            authorizationCode: {
              authorizationUrl: '/oauth/authorize',
              tokenUrl: '/oauth/token',
              scopes: { [SCOPE]: 'Everything' },
            },
          },
        },
      },
    },
  }
}

/** What every request may get. */
const ANY_TIME = {
  '413': ref('TooLarge', 'responses'),
  '421': ref('ForeignHost', 'responses'),
  '429': ref('TooManyRequests', 'responses'),
  '5XX': ref('Failed', 'responses'),
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
          schema: { oneOf: Object.keys(GRANTS).map((name) => ref(toGrantName(name))) },
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

function grantSchemas(): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(GRANTS).map(([grant, [form]]) => {
      const fields = form.split(' ')
      const values: Record<string, string> = { grant_type: grant, scope: SCOPE }
      const properties = fields.map((name) => {
        const value = values[name]
        return [name, { type: 'string', ...(value !== undefined && { const: value }) }]
      })
      return [
        toGrantName(grant),
        { type: 'object', properties: Object.fromEntries(properties), required: fields },
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

/** The data of a kind. The service documents none for the virtual account and card kinds. */
function dataOf(kind: string): Schema | undefined {
  if (kind === 'ACCOUNT_STATUS_UPDATED') return ref('AccountData')
  if (kind.includes('PAYMENT')) return ref('PaymentData')
  return kind.includes('INVOICE') ? ref('InvoiceData') : undefined
}

function notification(kind: string) {
  const data = dataOf(kind)
  const text = { type: 'string', contentMediaType: 'application/json', contentSchema: data }
  const forms = data && { anyOf: [text, data] }
  return {
    operationId: `on${toPascalCase(kind.toLowerCase())}`,
    tags: ['notifications'],
    summary: `${kind} is sent to the URLs registered for it`,
    description:
      'Sent in up to three attempts, five seconds apart, in no particular order. Any 2xx is a success; the responses here are those of a receiver of payhook.',
    security: [],
    parameters: [ref('Signature', 'parameters')],
    requestBody: {
      required: true,
      ...json({
        type: 'object',
        properties: {
          type: { type: 'string', const: kind },
          data: {
            description: 'A string that holds JSON, as specified. Some senders send the object itself.',
            ...forms,
          },
        },
        required: ['type', 'data'],
      }),
    },
    responses: {
      '200': { description: 'It was handled or stored, and is not sent again', ...json(ref('Received')) },
      ...Object.fromEntries(
        Object.keys(REJECTIONS).map((status) => [status, ref(`Rejected${status}`, 'responses')]),
      ),
    },
  }
}

const REJECTIONS: Readonly<Record<number, string>> = {
  400: 'The body is not a notification',
  401: 'The signature, or the token in the URL, is missing or wrong',
  405: 'The method is one without a body',
  413: 'The body is too large',
  415: 'The body is compressed',
  500: 'A handler failed',
  503: 'The notification could not be stored',
}

const RECEIVED: Schema = {
  type: 'object',
  properties: {
    received: { type: 'boolean', const: true },
    duplicate: { type: 'boolean', const: true, description: 'The same notification was stored before.' },
  },
  required: ['received'],
}

/** What a receiver responds, with the codes of each status. */
function rejections() {
  const { SignatureError, PayloadError, RequestError, HandlingError, InboxError } = CODES
  const { handler_failed } = HandlingError
  const { inbox_unavailable } = InboxError
  const statuses = { ...SignatureError, ...PayloadError, ...RequestError, handler_failed, inbox_unavailable }
  const codesOf = (status: string) =>
    Object.entries(statuses).flatMap(([code, itsStatus]) => (String(itsStatus) === status ? [code] : []))
  return Object.fromEntries(
    Object.entries(REJECTIONS).map(([status, description]) => {
      const properties = { code: { type: 'string', enum: codesOf(status) }, message: { type: 'string' } }
      const schema = { type: 'object', properties, required: ['code', 'message'] }
      return [`Rejected${status}`, { description, ...json(schema) }]
    }),
  )
}

function toPascalCase(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
