import { assertBody, type Body } from './body-bytes.ts'
import { type KindSchemas, type KindsOption, type NoKinds, toSchemaMap } from './events/kind-schemas.ts'
import { parseEvent } from './events/parse-event.ts'
import type { WebhookEvent } from './events/webhook-event.ts'
import { assertOptions } from './option-checks.ts'
import { authenticate, toClientKeys, type VerifyOptions } from './verification/signature.ts'

/**
 * Parses a notification without verifying it, for stored bytes that were verified earlier.
 *
 * @throws PayloadError if the body is not UTF-8, not JSON, or not an object with a string `type`
 * @throws TypeError if the body is a parsed object, if `kinds` is invalid or has an asynchronous schema, or if
 *   an option is unknown
 * @example
 * const event = parse(stored.rawBody)
 * if (event.type === 'ACCOUNT_STATUS_UPDATED') console.log(event.data.verified)
 */
export function parse<Kinds extends KindSchemas = NoKinds>(
  body: Body,
  options: KindsOption<Kinds> = {},
): WebhookEvent<Kinds> {
  assertOptions(options, ['kinds'], 'parse')
  const schemas = toSchemaMap(options.kinds)
  return parseEvent(assertBody(body), schemas) as WebhookEvent<Kinds>
}

/**
 * Verifies the signature of a notification, and only then parses it. The key of the signature is no secret: a
 * receiver, or `verifyWebhook` of a framework's subpath, also checks the callback token.
 *
 * @throws SignatureError if the signature is missing, malformed, or matches no client id
 * @throws PayloadError if the signed body is not a notification
 * @throws TypeError if the body is a parsed object, a client id is empty, `kinds` is invalid or has an
 *   asynchronous schema, or an option is unknown
 * @example
 * const event = verifyAndParse({ body: rawBody, signature: headers['access-signature'], clientId })
 * switch (event.type) {
 *   case 'OUTBOUND_PAYMENT_STATUS_UPDATED':
 *     console.log(event.data.id, event.data.status, event.data.amount?.number)
 * }
 */
export function verifyAndParse<Kinds extends KindSchemas = NoKinds>(
  options: VerifyOptions & KindsOption<Kinds>,
): WebhookEvent<Kinds> {
  assertOptions(options, ['body', 'signature', 'clientId', 'kinds'], 'verifyAndParse')
  const { body, signature, clientId, kinds } = options
  const keys = toClientKeys(clientId)
  const schemas = toSchemaMap(kinds)
  const bytes = assertBody(body)
  // The signature covers the bytes, so it is checked before anything is decoded.
  authenticate(bytes, signature, keys)
  return parseEvent(bytes, schemas) as WebhookEvent<Kinds>
}
