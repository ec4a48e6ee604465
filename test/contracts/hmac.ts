import { createHmac } from 'node:crypto'

/** What the service sends as the signature of a body, computed without the code under test. */
export function hmac(body: string | Uint8Array, clientId: string): string {
  return createHmac('sha256', clientId).update(body).digest('hex')
}
