import { createHash } from 'node:crypto'
import type { SignedNotification } from '../../src/index.ts'

/**
 * A notification as the receiver passes it to an inbox. An inbox does not verify the delivery id, so a digest
 * of the body is enough.
 */
export function createSigned(
  id: number | string,
  kind = 'INBOUND_PAYMENT_STATUS_UPDATED',
): SignedNotification {
  return signedFrom(
    Buffer.from(JSON.stringify({ type: kind, data: JSON.stringify({ id, status: 'Complete' }) })),
  )
}

/** The same, with any body. */
export function signedFrom(rawBody: Uint8Array): SignedNotification {
  return {
    signature: createHash('sha256').update(rawBody).digest('hex'),
    clientId: 'payhook-demo-client',
    receivedAt: new Date(),
    rawBody,
  }
}
