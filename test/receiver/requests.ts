import type { WebhookRequest } from '../../src/index.ts'
import { hmac } from '../contracts/hmac.ts'
import { clients, fixture } from '../fixture-cases.ts'

/** The request of a fixture. */
export function request(name: string, changes: Partial<WebhookRequest> = {}): WebhookRequest {
  const { body, signature } = fixture(name)
  return { method: 'POST', url: '/', headers: { 'access-signature': String(signature) }, body, ...changes }
}

/** A request with a body that the service signed. */
export function signed(body: string): WebhookRequest {
  return { method: 'POST', url: '/', headers: { 'access-signature': hmac(body, clients.default) }, body }
}
