import type * as api from '../../../sandbox/control/control-json.ts'
import type { ResourceKind } from '../../../sandbox/state/resources.ts'
import { call } from '../parts/call.ts'

const get = <Body>(path: string) => call<Body>(`/_sandbox/${path}`, { method: 'GET' })

/** The body is text, so that no digit of a number is lost. */
const send = <Body>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body = '{}') =>
  call<Body>(`/_sandbox/${path}`, { method, body, headers: { 'content-type': 'application/json' } })

const json = JSON.stringify

export const control = {
  credentials: () => get<api.CredentialsJson>('credentials'),
  deliveries: (query: Record<string, string>) =>
    get<api.DeliveryListJson>(`deliveries?${new URLSearchParams(query)}`),
  clearDeliveries: () => send<object>('DELETE', 'deliveries'),
  delivery: (id: string) => get<api.DeliveryDetailJson>(`deliveries/${encodeURIComponent(id)}`),
  /** @param content members of the request as JSON text, such as `"data":{…}` */
  trigger: (kind: string, content: string) =>
    send<api.DeliveriesJson>('POST', 'trigger?wait=false', `{"kind":${json(kind)},${content}}`),
  redeliver: (id: string, edited?: { body: string }) =>
    send<api.DeliveriesJson>(
      'POST',
      `deliveries/${encodeURIComponent(id)}/redeliver?wait=false`,
      json(edited),
    ),
  faults: () => get<api.FaultsJson>('faults'),
  setFaults: (faults: string) => send<api.FaultsJson>('PUT', 'faults', faults),
  configurations: () => get<api.ConfigurationsJson>('configurations'),
  register: (event: string, callbackUrl: string, accountId: string) =>
    send<api.ConfigurationJson>('POST', 'configurations', json({ event, callbackUrl, accountId })),
  changeUrl: (id: string, callbackUrl: string) =>
    send<api.ConfigurationJson>('PATCH', `configurations/${id}`, json({ callbackUrl })),
  deactivate: (id: string) => send<api.ConfigurationJson>('DELETE', `configurations/${id}`),
  createResource: (kind: ResourceKind, data: string) =>
    send<api.ResourceJson>('POST', kind, `{"data":${data}}`),
  setStatus: (kind: ResourceKind, id: string, status: string) =>
    send<api.DeliveriesJson>('POST', `${kind}/${id}/status?wait=false`, json({ status })),
  checkSignature: (question: object) =>
    send<api.SignatureCheckJson>('POST', 'check-signature', json(question)),
  startCheck: (options: object) => send<api.CheckJson>('POST', 'checks?wait=false', json(options)),
  check: (id: string) => get<api.CheckJson>(`checks/${id}`),
  stopCheck: (id: string) => send<object>('DELETE', `checks/${id}`),
  expireTokens: () => send<object>('POST', 'tokens/expire'),
  revokeTokens: () => send<object>('POST', 'tokens/revoke'),
  reset: () => send<object>('POST', 'reset'),
}
