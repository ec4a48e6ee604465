import type {
  ConfigurationJson,
  ConfigurationsJson,
  CredentialsJson,
  DeliveriesJson,
  DeliveryDetailJson,
  FaultsJson,
  ResourceJson,
  ResourceKind,
  SignatureCheckJson,
} from '../../../sandbox/control/control-json.ts'
import { call } from '../parts/call.ts'

const get = <Body>(path: string) => call<Body>(`/_sandbox/${path}`, { method: 'GET' })

/** The body is text, so that no digit of a number is lost. */
const send = <Body>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body = '{}') =>
  call<Body>(`/_sandbox/${path}`, { method, body, headers: { 'content-type': 'application/json' } })

const json = JSON.stringify

/** The control API, as described in docs/sandbox.md. */
export const control = {
  credentials: () => get<CredentialsJson>('credentials'),
  deliveries: (query: Record<string, string>) =>
    get<DeliveriesJson>(`deliveries?${new URLSearchParams(query)}`),
  delivery: (id: string) => get<DeliveryDetailJson>(`deliveries/${encodeURIComponent(id)}`),
  /** @param content members of the request as JSON text, such as `"data":{…}` */
  trigger: (kind: string, content: string) =>
    send<DeliveriesJson>('POST', 'trigger?wait=false', `{"kind":${json(kind)},${content}}`),
  redeliver: (id: string, edited?: { body: string }) =>
    send<DeliveriesJson>('POST', `deliveries/${encodeURIComponent(id)}/redeliver?wait=false`, json(edited)),
  faults: () => get<FaultsJson>('faults'),
  setFaults: (faults: string) => send<FaultsJson>('PUT', 'faults', faults),
  configurations: () => get<ConfigurationsJson>('configurations'),
  register: (event: string, callbackUrl: string, accountId: string) =>
    send<ConfigurationJson>('POST', 'configurations', json({ event, callbackUrl, accountId })),
  changeUrl: (id: string, callbackUrl: string) =>
    send<ConfigurationJson>('PATCH', `configurations/${id}`, json({ callbackUrl })),
  deactivate: (id: string) => send<ConfigurationJson>('DELETE', `configurations/${id}`),
  createResource: (kind: ResourceKind, data: string) => send<ResourceJson>('POST', kind, `{"data":${data}}`),
  setStatus: (kind: ResourceKind, id: string, status: string) =>
    send<DeliveriesJson>('POST', `${kind}/${id}/status?wait=false`, json({ status })),
  checkSignature: (question: object) => send<SignatureCheckJson>('POST', 'check-signature', json(question)),
  expireTokens: () => send<object>('POST', 'tokens/expire'),
  revokeTokens: () => send<object>('POST', 'tokens/revoke'),
  reset: () => send<object>('POST', 'reset'),
}
