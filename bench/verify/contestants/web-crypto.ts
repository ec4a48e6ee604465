import { clientId } from '../../support/notification.ts'
import type { Envelope, Headers } from './envelope.ts'
import { floor } from './floor.ts'

const algorithm = { name: 'HMAC', hash: 'SHA-256' }
const key = await crypto.subtle.importKey('raw', Buffer.from(clientId), algorithm, false, ['verify'])

/** The floor with Web Crypto, which is asynchronous. */
export const webCrypto = {
  sign: floor.sign,

  async open(body: Buffer, headers: Headers): Promise<Envelope> {
    const given = Buffer.from(headers['access-signature'] as string, 'hex')
    if (!(await crypto.subtle.verify('HMAC', key, given, new Uint8Array(body)))) {
      throw new Error('The signature is wrong.')
    }
    return JSON.parse(body.toString())
  },
}
