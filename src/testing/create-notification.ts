import type { EventKind } from '../events/kinds.ts'
import { anything, type Checks, checkOptions, flag, text } from '../option-checks.ts'
import { SIGNATURE_HEADER, sign } from '../verification/signature.ts'
import { type Overrides, type SampleValue, sampleData, toWireJson } from './sample-data.ts'

/** Options of {@link createNotification}. */
export interface NotificationOptions {
  /** The client id to sign with. */
  readonly clientId: string
  /** Changes to the sample data, or a string or `null` to replace it. */
  readonly data?: Overrides | string | null
  /** Send `data` as an object, as some senders do, instead of a string. @default `false` */
  readonly inline?: boolean
  /** Path or absolute URL, with the callback token if the receiver requires one. @default `/` */
  readonly url?: string
}

const OPTIONS = {
  clientId: text(),
  data: anything(),
  inline: flag(false),
  url: text('/'),
} satisfies Checks<NotificationOptions>

/** A request as the service sends it, for `receiver.receive(request)` or `fetch(url, request)`. */
export interface SignedRequest {
  readonly method: 'POST'
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

/**
 * Builds and signs a notification as the service does.
 *
 * @param kind a kind that payhook knows, or any other string to test how your handlers treat it
 * @throws TypeError if the client id is empty or an option is unknown
 * @example
 * const data = { status: 'Sent' }
 * const notification = createNotification('INBOUND_PAYMENT_STATUS_UPDATED', { clientId, data })
 * expect(await receiver.receive(notification)).toMatchObject({ status: 200 })
 */
export function createNotification(
  kind: EventKind | (string & {}),
  options: NotificationOptions,
): SignedRequest {
  const { clientId, data = {}, inline, url } = checkOptions('createNotification', options, OPTIONS)
  const content = typeof data === 'object' && data !== null ? sampleData(kind, data) : data
  const body = toEnvelope(kind, content, inline)
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: sign({ body, clientId }) },
    body,
  }
}

/** The body of a notification. An object is sent as a string, unless `inline`. */
export function toEnvelope(kind: string, content: SampleValue, inline: boolean): string {
  const json = toWireJson(kind, content)
  return `{"type":${JSON.stringify(kind)},"data":${inline || typeof content !== 'object' ? json : JSON.stringify(json)}}`
}
