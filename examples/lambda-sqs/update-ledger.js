/**
 * Calls another service. If it fails, so does the handler, and the notification is handled again. The ledger
 * must not let a status replace one that comes later in a payment's life: a call that timed out may still wait
 * there, and an API of several replicas may return an old status after a new one.
 */
export async function updateLedger({ id, status }, idempotencyKey) {
  const response = await fetch(`${process.env.LEDGER_URL}/payments/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'idempotency-key': `${idempotencyKey}:${status}` },
    body: JSON.stringify({ status }),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`the ledger responded with ${response.status}`)
}
