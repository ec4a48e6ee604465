import { Webhook } from 'svix'
import { clientId } from '../../support/notification.ts'
import type { Envelope, Headers, Scheme } from './envelope.ts'

const webhook = new Webhook(Buffer.from(clientId).toString('base64'))

export const svix = {
  sign(body: Buffer) {
    const now = new Date()
    return {
      'svix-id': 'msg_1',
      'svix-timestamp': String(Math.floor(now.getTime() / 1000)),
      'svix-signature': webhook.sign('msg_1', now, body),
    }
  },

  open(body: Buffer, headers: Headers): Envelope {
    const text = body.toString()
    // It does not parse.
    webhook.verify(text, headers as Record<string, string>)
    return JSON.parse(text)
  },
} satisfies Scheme
