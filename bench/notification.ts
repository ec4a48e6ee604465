import { readFileSync } from 'node:fs'

const fixtures = new URL('../fixtures/', import.meta.url)

/** The notification that is measured: a payment of about 1 KB, its data stringified. */
export const notification: Buffer = readFileSync(
  new URL('notifications/outbound-payment-stringified.json', fixtures),
)

/** The id of the payment in it, by which a contestant shows that it has read it. */
export const paymentId = '730112'

/** The same with another id. It is valid in every other way, so only its signature can give it away. */
export const tampered: Buffer = Buffer.from(notification.toString().replace(paymentId, '730113'))

const clients = JSON.parse(readFileSync(new URL('clients.json', fixtures), 'utf8')) as { default: string }

/** The client id that signs, and the secret of every other scheme. */
export const clientId: string = clients.default
