// The document of the service: what a client calls, and the notifications that a receiver gets.

import type ts from 'typescript'
import { EVENT_KINDS, PARSED_KINDS } from '../../src/events/kinds.ts'
import { SCOPE } from '../../src/sandbox/service/token-route.ts'
import { RECEIVED, SIGNATURE, toNotification, toRejections } from './notification-operations.ts'
import { ref } from './references.ts'
import { REQUEST_ID, toGrantSchemas, toPaths, toResponses } from './service-operations.ts'
import { TypeSchemas } from './type-schemas.ts'
import { toWireSchemas, WIRE_TYPES } from './wire-schemas.ts'

export const SERVICE_MODULES = [...WIRE_TYPES, 'src/sandbox/service/send-error.ts']

/** @param version of the package */
export function createServiceDocument(program: ts.Program, version: string) {
  const types = new TypeSchemas(program, SERVICE_MODULES)
  const responses = { ...toResponses(types.of('ServiceErrorJson')), ...toRejections() }
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
    paths: toPaths(),
    webhooks: Object.fromEntries(PARSED_KINDS.map((kind) => [kind, { post: toNotification(kind) }])),
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
        ...toGrantSchemas(),
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
      parameters: { RequestId: REQUEST_ID, Signature: SIGNATURE },
      responses,
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
