import Stripe from 'stripe'
import { clientId } from '../../support/notification.ts'
import type { Envelope, Headers, Scheme } from './envelope.ts'

const { webhooks } = new Stripe('sk_test_unused')

export const stripe = {
  sign(body: Buffer) {
    const header = webhooks.generateTestHeaderString({ payload: body.toString(), secret: clientId })
    return { 'stripe-signature': header }
  },

  open(body: Buffer, headers: Headers): Envelope {
    const event: unknown = webhooks.constructEvent(body, headers['stripe-signature'] as string, clientId)
    return event as Envelope
  },
} satisfies Scheme
