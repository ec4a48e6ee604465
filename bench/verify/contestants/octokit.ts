import { createHmac } from 'node:crypto'
import { verify } from '@octokit/webhooks-methods'
import { clientId } from '../../support/notification.ts'
import type { Envelope, Headers, Scheme } from './envelope.ts'

export const octokit = {
  sign(body: Buffer) {
    return { 'x-hub-signature-256': `sha256=${createHmac('sha256', clientId).update(body).digest('hex')}` }
  },

  async open(body: Buffer, headers: Headers): Promise<Envelope> {
    const text = body.toString()
    if (!(await verify(clientId, text, headers['x-hub-signature-256'] as string))) {
      throw new Error('The signature is wrong.')
    }
    return JSON.parse(text)
  },
} satisfies Scheme
