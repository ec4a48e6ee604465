import { call } from '../parts/call.ts'
import type {
  Configuration,
  Credentials,
  DeliveryDetail,
  DeliverySummary,
  Resource,
  Verdict,
} from './control-answers.ts'

type Deliveries = { readonly deliveries: readonly DeliverySummary[] }
export type ResourceSort = 'payments' | 'invoices'

const get = <Answer>(path: string) => call<Answer>(`/_sandbox/${path}`, { method: 'GET' })

/** The body is text, so that no digit of a number is lost. */
const send = <Answer>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: string) =>
  call<Answer>(`/_sandbox/${path}`, { method, body, headers: { 'content-type': 'application/json' } })

const json = JSON.stringify

/** The sandbox's control API, as docs/sandbox.md states it. */
export const control = {
  credentials: () => get<Credentials>('credentials'),
  deliveries: (query: Record<string, string>) => get<Deliveries>(`deliveries?${new URLSearchParams(query)}`),
  delivery: (id: string) => get<DeliveryDetail>(`deliveries/${encodeURIComponent(id)}`),
  /** @param content members of the request as JSON text, such as `"data":{…}` */
  trigger: (kind: string, content: string) =>
    send<Deliveries>('POST', 'trigger?wait=false', `{"kind":${json(kind)},${content}}`),
  redeliver: (id: string, edited?: { body: string }) =>
    send<Deliveries>('POST', `deliveries/${encodeURIComponent(id)}/redeliver?wait=false`, json(edited ?? {})),
  faults: () => get<Record<string, unknown>>('faults'),
  setFaults: (faults: string) => send<Record<string, unknown>>('PUT', 'faults', faults),
  configurations: () => get<{ readonly configurations: readonly Configuration[] }>('configurations'),
  register: (event: string, callbackUrl: string, accountId: string) =>
    send<Configuration>('POST', 'configurations', json({ event, callbackUrl, accountId })),
  reregister: (id: string, event: string, callbackUrl: string) =>
    send<Configuration>('PATCH', `configurations/${id}`, json({ event, callbackUrl })),
  deactivate: (id: string) => send<Configuration>('DELETE', `configurations/${id}`, '{}'),
  createResource: (sort: ResourceSort, data: string) => send<Resource>('POST', sort, `{"data":${data}}`),
  setStatus: (sort: ResourceSort, id: string, status: string) =>
    send<Deliveries>('POST', `${sort}/${id}/status?wait=false`, json({ status })),
  walk: (sort: ResourceSort, id: string, statuses: readonly string[], intervalMs: number) =>
    send<Deliveries>('POST', `${sort}/${id}/walk?wait=false`, json({ statuses, intervalMs })),
  checkSignature: (question: object) => send<Verdict>('POST', 'check-signature', json(question)),
  expireTokens: () => send<object>('POST', 'tokens/expire', '{}'),
  revokeTokens: () => send<object>('POST', 'tokens/revoke', '{}'),
  reset: () => send<object>('POST', 'reset', '{}'),
}
