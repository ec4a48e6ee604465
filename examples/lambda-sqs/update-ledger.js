/**
 * Calls another service. If it fails, so does the handler, and the notification is handled again. The ledger
 * must not let a status replace one that comes later in a payment's life: a call that timed out may still wait
 * there, and an API of several replicas may return an old status after a new one.
 */
export async function updateLedger({ id, status }) {
  const response = await fetch(`${process.env.LEDGER_URL}/payments/${id}`, {
    method: 'PUT',
    // The same after a redrive from the dead-letter queue, which gives the message a new id.
    headers: { 'content-type': 'application/json', 'idempotency-key': `${id}:${status}` },
    body: JSON.stringify({ status }),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`the ledger responded with ${response.status}`)
}
