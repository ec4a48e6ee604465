import { Injectable } from '@nestjs/common'
import { paymentDataSchema, RetryAfterError } from 'payhook'
import { createClient } from 'payhook/client'

const ENDED = ['Complete', 'Cancelled', 'Closed', 'Reversed']

@Injectable()
export class PaymentsService {
  readonly #client = createClient({
    baseUrl: process.env.PAYHOOK_BASE_URL!,
    clientId: process.env.PAYHOOK_CLIENT_ID!,
    clientSecret: process.env.PAYHOOK_CLIENT_SECRET!,
  })

  /** What the service's API says about a payment now. The path is the sandbox's: replace it with yours. */
  async read({ id, status }: { id: string; status: string }, signal: AbortSignal) {
    const path = `/svc/v1.2/payments/${id}`
    const payment = paymentDataSchema.parse(await this.#client.request({ method: 'GET', path, signal }))
    // The API may be behind its own notification: read again later.
    if (ENDED.indexOf(payment.status) < ENDED.indexOf(status))
      throw new RetryAfterError(`payment ${id} is still ${payment.status}`, { afterMs: 10_000 })
    return payment
  }

  /**
   * Calls another service. If it fails, so does the handler, and the notification is handled again. The ledger
   * must not let a status replace one that comes later in a payment's life: a call that timed out may still
   * wait there, and an API of several replicas may return an old status after a new one.
   */
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
