import type { Overrides, SampleObject } from '../../testing/sample-data.ts'
import {
  type InvoiceModel,
  OUTBOUND_INVOICE,
  rememberInvoice,
  toInvoiceModel,
  toLinkedPayment,
} from '../events/invoice.ts'
import { OUTBOUND_PAYMENT, rememberPayment, toPaymentModel } from '../events/payment.ts'
import type { SandboxInvoice, SandboxPayment } from '../state/status-sequence.ts'
import type { SandboxCore } from './sandbox-core.ts'
import { createStatusSequence } from './status-sequence.ts'

export function createPayment(data: Overrides, core: SandboxCore): SandboxPayment {
  return createStatusSequence(
    data,
    {
      kind: 'payments',
      payerKind: OUTBOUND_PAYMENT,
      payeeKind: 'INBOUND_PAYMENT_STATUS_UPDATED',
      usualStatuses: ['Sent', 'PendingAuth', 'Authorized', 'InProgress', 'Complete'],
      toModel: (id) => toPaymentModel(id, core.options.partner),
      remember: (payment) => rememberPayment(payment, core.resources),
    },
    core,
  )
}

/** Creates an invoice with a new id, and with a new payment unless the caller sets one. */
export function createInvoice(data: Overrides, core: SandboxCore): SandboxInvoice {
  const models: InvoiceModel[] = []
  let payment: SandboxPayment | undefined
  const hasOwnPayment = ({ paymentId }: SampleObject) =>
    paymentId !== undefined && paymentId === models[0]?.paymentId
  const invoice = createStatusSequence(
    data,
    {
      kind: 'invoices',
      payerKind: 'INBOUND_INVOICE_STATUS_UPDATED',
      payeeKind: OUTBOUND_INVOICE,
      usualStatuses: ['Claimed', 'MarkAsPaid'],
      toModel: (id) => {
        const model = toInvoiceModel(id, core.ids)
        if (models.length === 0) models.push(model)
        return model
      },
      remember: (other) => rememberInvoice(other, core),
      follow: async (next, options) => {
        const linked = toLinkedPayment(next)
        if (!linked || !hasOwnPayment(next) || payment?.data.status === linked.status) return []
        const { status, ...changes } = linked
        payment ??= createPayment({ ...changes, id: next.paymentId }, core)
        return await payment.setStatus(status, changes, options)
      },
    },
    core,
  )
  const linked = toLinkedPayment(invoice.data)
  if (linked && hasOwnPayment(invoice.data))
    payment = createPayment({ ...linked, id: invoice.data.paymentId }, core)
  return invoice
}
