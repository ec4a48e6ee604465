// The notifications that the service sends, and what a receiver responds.

import { CODES } from '../../src/errors.ts'
import { KINDS, type ParsedKind } from '../../src/events/kinds.ts'
import { json, ref, toPascalCase } from './references.ts'
import type { Schema } from './type-schemas.ts'

export const SIGNATURE = {
  name: 'ACCESS-SIGNATURE',
  in: 'header',
  required: true,
  description:
    'The lowercase hexadecimal HMAC-SHA-256 of the exact bytes of the body, keyed with the client id. Verify it before parsing the body.',
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
}

export function toNotification(kind: ParsedKind) {
  const type = KINDS[kind]
  const data = type && ref(`${toPascalCase(type)}Data`)
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

export const RECEIVED: Schema = {
  type: 'object',
  properties: {
    received: { type: 'boolean', const: true },
    duplicate: { type: 'boolean', const: true, description: 'The same notification was stored before.' },
  },
  required: ['received'],
}

/** What a receiver responds, with the codes of each status. */
export function toRejections() {
  const { SignatureError, PayloadError, RequestError, HandlingError, InboxError } = CODES
  const { handler_failed, receiver_failed } = HandlingError
  const { inbox_unavailable, inbox_misconfigured } = InboxError
  const statuses = {
    ...SignatureError,
    ...PayloadError,
    ...RequestError,
    ...{ handler_failed, receiver_failed, inbox_unavailable, inbox_misconfigured },
  }
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
