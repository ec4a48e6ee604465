import { Buffer } from 'node:buffer'
import type { SignedNotification } from '../notification/signed-notification.ts'

/** A notification as JSON, for engines that store JSON. */
export interface StoredNotification {
  readonly signature: string
  readonly clientId: string
  /** Unix time in milliseconds. */
  readonly receivedAt: number
  /** Base64, as the exact bytes need not be UTF-8. */
  readonly body: string
}

export function toStored(notification: SignedNotification): StoredNotification {
  const { signature, clientId, receivedAt, rawBody } = notification
  const { buffer, byteOffset, byteLength } = rawBody
  return {
    signature,
    clientId,
    receivedAt: receivedAt.getTime(),
    body: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  }
}

/** Reads leniently: a job that another program added can be listed, and ends up dead. */
export function fromStored(data: Partial<StoredNotification> | null): SignedNotification {
  const { signature = '', clientId = '', receivedAt = 0, body = '' } = data ?? {}
  return {
    signature: String(signature),
    clientId: String(clientId),
    receivedAt: new Date(Number(receivedAt) || 0),
    rawBody: Buffer.from(String(body), 'base64'),
  }
}
