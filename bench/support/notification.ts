import { readFileSync } from 'node:fs'

const fixtures = new URL('../../fixtures/', import.meta.url)

/** The notification for the measurements: a payment of about 1 KB, with stringified data. */
export const notification: Buffer = readFileSync(
  new URL('notifications/outbound-payment-stringified.json', fixtures),
)

/** The id of its payment. A contestant returns it to prove that it has parsed the body. */
export const paymentId = '730112'

/** The same with another id, so that only the signature is wrong. */
export const tampered: Buffer = Buffer.from(notification.toString().replace(paymentId, '730113'))

const clients = JSON.parse(readFileSync(new URL('clients.json', fixtures), 'utf8')) as { default: string }

/** The client id that signs, and the secret of every other scheme. */
export const clientId: string = clients.default
