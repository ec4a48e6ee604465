import { type Overrides, type SampleValue, sampleData } from '../../testing/sample-data.ts'
import type { SandboxInvoice, SandboxPayment } from '../sandbox.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import { createPayment } from './payment.ts'
import type { ResourceModel } from './resource-model.ts'
import { createStatusSequence, type SequenceContext } from './status-sequence.ts'

const OUTBOUND_INVOICE = 'OUTBOUND_INVOICE_STATUS_UPDATED'

/** The status of an invoice's payment, by the status of the invoice. */
const PAYMENT_STATUSES = new Map<unknown, string>([
  ['Claimed', 'Sent'],
  ['MarkAsPaid', 'Complete'],
])

/** An invoice. It has the id of its payment once the payer accepts it. */
export function toInvoiceModel(id: bigint, paymentId: () => SampleValue): ResourceModel {
  return {
    initial: sampleData(OUTBOUND_INVOICE, {
      id,
      payerAccountId: Number(USERS[0].accountId),
      payeeAccountId: Number(APPLICATION.accountId),
      paymentId: undefined,
    }),
    fieldsOf: (status) => (PAYMENT_STATUSES.has(status) ? { paymentId: paymentId() } : {}),
    parts: {},
  }
}

/** Creates an invoice with a new id, and with a new payment unless the caller sets one. */
export function createInvoice(data: Overrides, context: SequenceContext): SandboxInvoice {
  let payment: SandboxPayment | undefined
  const paymentId = () => {
    payment ??= createPayment({}, context)
    return payment.id
  }
  return createStatusSequence(
    data,
    {
      sort: 'invoices',
      payerKind: 'INBOUND_INVOICE_STATUS_UPDATED',
      payeeKind: OUTBOUND_INVOICE,
      usualWay: ['Claimed', 'MarkAsPaid'],
      toModel: (id) => toInvoiceModel(id, paymentId),
      follow: async (invoice, options) => {
        const status = PAYMENT_STATUSES.get(invoice.status)
        if (!payment || !status || payment.id !== invoice.paymentId || payment.data.status === status)
          return []
        const { id: invoiceId, payerAccountId, payeeAccountId, amount } = invoice
        return await payment.setStatus(status, { invoiceId, payerAccountId, payeeAccountId, amount }, options)
      },
    },
    context,
  )
}
