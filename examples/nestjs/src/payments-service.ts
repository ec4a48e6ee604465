import { Injectable } from '@nestjs/common'
import { paymentDataSchema } from 'payhook'
import { createClient } from 'payhook/client'

@Injectable()
export class PaymentsService {
  readonly #client = createClient({
    baseUrl: process.env.PAYHOOK_BASE_URL!,
    clientId: process.env.PAYHOOK_CLIENT_ID!,
    clientSecret: process.env.PAYHOOK_CLIENT_SECRET!,
  })

  /** What the service's API says about a payment now. The path is the sandbox's: replace it with yours. */
  async read(id: string, signal: AbortSignal) {
    const path = `/svc/v1.2/payments/${id}`
    return paymentDataSchema.parse(await this.#client.request({ method: 'GET', path, signal }))
  }

  /** Calls another service. If it fails, so does the handler, and the notification is handled again. */
  async update(payment: { id: string; status: string }, idempotencyKey: string): Promise<void> {
    const response = await fetch(`${process.env.LEDGER_URL}/payments/${payment.id}`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': `${idempotencyKey}:${payment.status}`,
      },
      body: JSON.stringify({ status: payment.status }),
      signal: AbortSignal.timeout(10_000),
    })
    if (!response.ok) throw new Error(`the ledger responded with ${response.status}`)
  }
}
