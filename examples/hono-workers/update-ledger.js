import { env } from 'cloudflare:workers'

/** Calls another service. If it fails, so does the handler, and the notification is handled again. */
export async function updateLedger({ id, status }) {
  const response = await fetch(`${env.LEDGER_URL}/payments/${id}`, {
    method: 'PUT',
    // The same for a duplicate, which is a message with an id of its own.
    headers: { 'content-type': 'application/json', 'idempotency-key': `${id}:${status}` },
    // It may be old: the ledger must not let it replace a status that comes later in a payment's life.
    body: JSON.stringify({ status }),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`the ledger responded with ${response.status}`)
}
