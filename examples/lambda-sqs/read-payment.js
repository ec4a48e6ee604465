import { paymentDataSchema } from 'payhook'
import { createClient } from 'payhook/client'

const {
  PAYHOOK_BASE_URL: baseUrl,
  PAYHOOK_CLIENT_ID: clientId,
  PAYHOOK_CLIENT_SECRET: clientSecret,
} = process.env
const client = createClient({ baseUrl, clientId, clientSecret })

const ENDED = ['Complete', 'Cancelled', 'Closed', 'Reversed']

/** What the service's API says about a payment now. The path is the sandbox's: replace it with yours. */
export async function readPayment({ id, status }, signal) {
  const path = `/svc/v1.2/payments/${id}`
  const payment = paymentDataSchema.parse(await client.request({ method: 'GET', path, signal }))
  // The API may be behind its own notification: read again when SQS delivers it again.
  if (ENDED.indexOf(payment.status) < ENDED.indexOf(status))
    throw new Error(`payment ${id} is still ${payment.status}`)
  return payment
}
