import { paymentDataSchema } from 'payhook'
import { createClient } from 'payhook/client'

const client = createClient({
  baseUrl: Deno.env.get('PAYHOOK_BASE_URL')!,
  clientId: Deno.env.get('PAYHOOK_CLIENT_ID')!,
  clientSecret: Deno.env.get('PAYHOOK_CLIENT_SECRET')!,
})

/** What the service's API says about a payment now. The path is the sandbox's: replace it with yours. */
export async function readPayment(id: string, signal: AbortSignal) {
  const path = `/svc/v1.2/payments/${id}`
  return paymentDataSchema.parse(await client.request({ method: 'GET', path, signal }))
}
