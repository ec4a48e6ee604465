import { assertBody, type Body } from './body-bytes.ts'
import { toClientKeys } from './client-keys.ts'
import { parseEvent } from './events/parse-event.ts'
import type { WebhookEvent } from './events/webhook-event.ts'
import { readEnvelope } from './read-envelope.ts'
import { authenticate, type VerifyOptions } from './signature.ts'

/**
 * Parses a notification without verifying it, for bytes that were verified before and stored.
 *
 * @throws PayloadError when the body is not UTF-8, not JSON, or no object with a string `type` (service.md 2.3)
 * @throws TypeError for a parsed body
 * @example
 * const event = parse(stored.rawBody)
 * if (event.type === 'ACCOUNT_STATUS_UPDATED') console.log(event.data.verified)
 */
export function parse(body: Body): WebhookEvent {
  return parseEvent(readEnvelope(assertBody(body)))
}

/**
 * Verifies a notification and only then parses it (service.md 2.3 and 5.3).
 *
 * @throws SignatureError when it is not signed with one of the client ids
 * @throws PayloadError when the signed body is no notification
 * @throws TypeError for a parsed body or an empty client id
 * @example
 * const event = verifyAndParse({ body: rawBody, signature: headers['access-signature'], clientId })
 * switch (event.type) {
 *   case 'OUTBOUND_PAYMENT_STATUS_UPDATED':
 *     console.log(event.data.id, event.data.status, event.data.amount?.number)
 * }
 */
export function verifyAndParse({ body, signature, clientId }: VerifyOptions): WebhookEvent {
  const keys = toClientKeys(clientId)
  const bytes = assertBody(body)
  // The signature covers the bytes: nothing of them is decoded before it has proved right.
  authenticate(bytes, signature, keys)
  return parseEvent(readEnvelope(bytes))
}
