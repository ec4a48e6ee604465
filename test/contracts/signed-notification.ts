import { createHash } from 'node:crypto'
import { readSubject } from '../../src/events/subject.ts'
import type { InboxNotification } from '../../src/index.ts'

/**
 * A notification as the receiver passes it to an inbox. An inbox does not verify the delivery id, so a digest
 * of the body is enough.
 */
export function createSigned(
  id: number | string,
  kind = 'INBOUND_PAYMENT_STATUS_UPDATED',
): InboxNotification {
  return signedFrom(
    Buffer.from(JSON.stringify({ type: kind, data: JSON.stringify({ id, status: 'Complete' }) })),
  )
}

/** The same, with any body. */
export function signedFrom(rawBody: Uint8Array): InboxNotification {
  return {
    signature: createHash('sha256').update(rawBody).digest('hex'),
    clientId: 'payhook-demo-client',
    receivedAt: new Date(),
    rawBody,
    subject: readSubject(rawBody),
    source: 'service',
  }
}

/** A notification about a subject. No two have the same name, which is all they contain. */
export function createAbout(subject: string | null, name: string): InboxNotification {
  return { ...signedFrom(Buffer.from(JSON.stringify({ type: 'TEST', name }))), subject }
}

export function nameOf({ rawBody }: Pick<InboxNotification, 'rawBody'>): string {
  return JSON.parse(Buffer.from(rawBody).toString()).name
}
