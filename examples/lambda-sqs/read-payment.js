import { paymentDataSchema } from 'payhook'
import { createClient } from 'payhook/client'

const {
  PAYHOOK_BASE_URL: baseUrl,
  PAYHOOK_CLIENT_ID: clientId,
  PAYHOOK_CLIENT_SECRET: clientSecret,
} = process.env
const client = createClient({ baseUrl, clientId, clientSecret })

/** What the service's API says about a payment now. The path is the sandbox's: replace it with yours. */
export async function readPayment(id, signal) {
  const path = `/svc/v1.2/payments/${id}`
  return paymentDataSchema.parse(await client.request({ method: 'GET', path, signal }))
}
