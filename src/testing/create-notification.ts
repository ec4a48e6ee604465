import type { EventKind } from '../events/kinds.ts'
import { assertOptions } from '../option-checks.ts'
import { SIGNATURE_HEADER, sign } from '../verification/signature.ts'
import { type Overrides, type SampleValue, sampleData } from './sample-data.ts'
import { toWireJson } from './wire-json.ts'

/** Options of {@link createNotification}. */
export interface NotificationOptions {
  /** The client id to sign with. */
  readonly clientId: string
  /** Changes to the sample data, or data that is no object (`null`, a string) in its place. */
  readonly data?: Overrides | string | null
  /** Send `data` as an object, which some senders do, and not as a string. Default `false`. */
  readonly inline?: boolean
  /** Path or absolute URL, with the callback token where the receiver asks for one. Default `/`. */
  readonly url?: string
}

/** A request as the service sends it; `receiver.receive` takes it as it is. */
export interface Notification {
  readonly method: 'POST'
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

/**
 * Builds and signs a notification as the service does.
 *
 * @param kind one of the ten kinds, or another one to see what your handlers make of it
 * @throws TypeError if the client id is empty, or an option unknown
 * @example
 * const notification = createNotification('INBOUND_PAYMENT_STATUS_UPDATED', { clientId, data: { status: 'Sent' } })
 * expect(await receiver.receive(notification)).toMatchObject({ status: 200 })
 */
export function createNotification(
  kind: EventKind | (string & {}),
  options: NotificationOptions,
): Notification {
  assertOptions(options, ['clientId', 'data', 'inline', 'url'])
  const { clientId, data = {}, inline = false, url = '/' } = options
  const content = typeof data === 'object' && data !== null ? sampleData(kind, data) : data
  const body = toEnvelope(kind, content, inline)
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: sign({ body, clientId }) },
    body,
  }
}

/** The body of a notification: data that is an object is carried as a string, or as it is. */
export function toEnvelope(kind: string, content: SampleValue, inline: boolean): string {
  const json = toWireJson(kind, content)
  return `{"type":${JSON.stringify(kind)},"data":${inline || typeof content !== 'object' ? json : JSON.stringify(json)}}`
}
