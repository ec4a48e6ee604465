import { paymentDataSchema } from 'payhook'
import { createClient } from 'payhook/client'

export const clientId = process.env.PAYHOOK_CLIENT_ID!

export const client = createClient({
  baseUrl: process.env.PAYHOOK_BASE_URL!,
  clientId,
  clientSecret: process.env.PAYHOOK_CLIENT_SECRET!,
})

/** What the service's API says about a payment now. The path is that of the sandbox: replace it with yours. */
export async function readPayment(id: string, signal: AbortSignal) {
  const path = `/svc/v1.2/payments/${id}`
  return paymentDataSchema.parse(await client.request({ method: 'GET', path, signal }))
}
