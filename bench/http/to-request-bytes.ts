import { notification } from '../support/notification.ts'
import { type HttpContestant, schemes } from './contestants.ts'

/**
 * The bytes of a request with any body and the signature of the original notification, which is created each
 * time, as some signatures expire.
 */
export async function toRequestBytes({ scheme }: HttpContestant, body: Buffer): Promise<Buffer> {
  const { sign } = await schemes[scheme]()
  return writeRequest(sign(notification), body)
}

/** The bytes of a request. */
export function writeRequest(signature: Readonly<Record<string, string>>, body: Uint8Array): Buffer {
  const headers = {
    host: '127.0.0.1',
    'user-agent': 'payments/1.0',
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...signature,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`POST /webhooks HTTP/1.1\r\n${lines.join('')}\r\n`), body])
}
