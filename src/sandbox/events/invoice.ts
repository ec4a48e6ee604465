import { type SampleObject, sampleData } from '../../testing/sample-data.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import { parseId } from '../state/resource-ids.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import type { ResourceModel } from './resource-model.ts'

/** The status of the payment in the statuses of an invoice that have one. */
const PAYMENT_STATUSES = new Map<unknown, string>([
  ['Claimed', 'Sent'],
  ['MarkAsPaid', 'Complete'],
])

/** An invoice. It has the id of its payment once the payer accepts it. */
export function toInvoiceModel(id: bigint, { ids }: SandboxState): ResourceModel {
  return {
    initial: sampleData('OUTBOUND_INVOICE_STATUS_UPDATED', {
      id,
      payerAccountId: Number(USERS[0].accountId),
      payeeAccountId: Number(APPLICATION.accountId),
      paymentId: undefined,
    }),
    fieldsOf: (status) => (PAYMENT_STATUSES.has(status) ? { paymentId: ids.paymentOf(id) } : {}),
    parts: {},
  }
}

/** What an invoice says about its payment; `undefined` if it has none yet. */
export function toLinkedPayment(invoice: SampleObject) {
  const status = PAYMENT_STATUSES.get(invoice.status)
  const id = parseId(invoice.paymentId)
  const { id: invoiceId, payerAccountId, payeeAccountId, amount } = invoice
  if (status === undefined || id === undefined) return undefined
  return { id, status, invoiceId, payerAccountId, payeeAccountId, amount }
}
