import { type SampleObject, sampleData, toWireJson } from '../../../testing/sample-data.ts'
import { formatJson } from '../parts/json.ts'

/** The other party of the sample payments and invoices. */
const OTHER_ACCOUNT = 710044

/**
 * A valid payload of a kind, for the application's account. Without its id, so that each one sent is about a
 * new payment, invoice and so on.
 */
export function samplePayload(kind: string, accountId: string): string {
  const { id: _id, ...sample } = sampleData(kind)
  const data: SampleObject = kind === 'ACCOUNT_STATUS_UPDATED' ? sampleData(kind) : sample
  // The sender of an invoice is its payee.
  const isPayer = ['OUTBOUND_PAYMENT_STATUS_UPDATED', 'INBOUND_INVOICE_STATUS_UPDATED'].includes(kind)
  if ('payerAccountId' in data) {
    data.payerAccountId = isPayer ? Number(accountId) : OTHER_ACCOUNT
    data.payeeAccountId = isPayer ? OTHER_ACCOUNT : Number(accountId)
  }
  return formatJson(toWireJson(kind, data))
}
