import { Webhook } from 'standardwebhooks'
import { clientId } from '../../support/notification.ts'
import type { Envelope, Headers, Scheme } from './envelope.ts'

const webhook = new Webhook(Buffer.from(clientId).toString('base64'))

export const standardWebhooks = {
  sign(body: Buffer) {
    const now = new Date()
    return {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': webhook.sign('msg_1', now, body),
    }
  },

  open(body: Buffer, headers: Headers): Envelope {
    return webhook.verify(body.toString(), headers as Record<string, string>) as Envelope
  },
} satisfies Scheme
