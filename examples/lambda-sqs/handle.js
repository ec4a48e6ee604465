import { parse } from 'payhook'
import { readPayment } from './read-payment.js'
import { updateLedger } from './update-ledger.js'

export async function handler({ Records }) {
  const batchItemFailures = []
  for (const { messageId, body } of Records) {
    try {
      const event = parse(Buffer.from(body, 'base64')) // verified before it was stored
      if (event.type === 'UNRECOGNIZED' && event.issues[0]?.code !== 'unknown_kind')
        throw new Error(`${event.kind} is not as expected`) // kept
      if (event.type === 'INBOUND_PAYMENT_STATUS_UPDATED') {
        // What is true now: an old notification may come after a newer one.
        const payment = await readPayment(event.data, AbortSignal.timeout(10_000))
        await updateLedger(payment)
      }
    } catch (error) {
      console.error(messageId, error)
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}
