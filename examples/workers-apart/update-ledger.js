/**
 * Calls another service. If it fails, so does the handler, and the notification is handled again. The ledger
 * has to handle the calls about a payment in their order, as one that timed out may still wait there.
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
