import { paymentDataSchema, RetryAfterError } from 'payhook'
import { createClient } from 'payhook/client'

// `next build` loads this file, perhaps without the variables.
let client: ReturnType<typeof createClient> | undefined

const ENDED = ['Complete', 'Cancelled', 'Closed', 'Reversed']

/** What the service's API says about a payment now. The path is the sandbox's: replace it with yours. */
export async function readPayment({ id, status }: { id: string; status: string }, signal: AbortSignal) {
  client ??= createClient({
    baseUrl: process.env.PAYHOOK_BASE_URL!,
    clientId: process.env.PAYHOOK_CLIENT_ID!,
    clientSecret: process.env.PAYHOOK_CLIENT_SECRET!,
  })
  const path = `/svc/v1.2/payments/${id}`
  const payment = paymentDataSchema.parse(await client.request({ method: 'GET', path, signal }))
  // The API may be behind its own notification: read again later.
  if (ENDED.indexOf(payment.status) < ENDED.indexOf(status))
    throw new RetryAfterError(`payment ${id} is still ${payment.status}`, { afterMs: 10_000 })
  return payment
}
