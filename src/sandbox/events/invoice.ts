import { type SampleObject, sampleData, toWireJson } from '../../testing/sample-data.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import { parseId, type ResourceIds } from '../state/resource-ids.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import { OUTBOUND_PAYMENT, rememberPayment, toPaymentModel } from './payment.ts'
import { changeResource, type ResourceModel } from './resource-model.ts'

export const OUTBOUND_INVOICE = 'OUTBOUND_INVOICE_STATUS_UPDATED'

const PAYMENT_STATUSES = new Map<unknown, string>([
  ['Claimed', 'Sent'],
  ['MarkAsPaid', 'Complete'],
])

export interface InvoiceModel extends ResourceModel {
  /** The id of its payment, once a status needs one. */
  readonly paymentId: number | undefined
}

/** An invoice. It has the id of its payment once the payer accepts it. */
export function toInvoiceModel(id: bigint, ids: ResourceIds): InvoiceModel {
  let paymentId: number | undefined
  return {
    initial: sampleData(OUTBOUND_INVOICE, {
      id,
      payerAccountId: Number(USERS[0].accountId),
      payeeAccountId: Number(APPLICATION.accountId),
      paymentId: undefined,
    }),
    fieldsOf: (status) => {
      if (!PAYMENT_STATUSES.has(status)) return {}
      paymentId ??= ids.next(OUTBOUND_PAYMENT)
      return { paymentId }
    },
    parts: {},
    get paymentId() {
      return paymentId
    },
  }
}

/** Keeps the data of an invoice, and that of its payment if nothing is known of it. */
export function rememberInvoice(invoice: SampleObject, { resources, options }: SandboxState): void {
  resources.remember('invoices', toWireJson(OUTBOUND_INVOICE, invoice))
  const payment = toLinkedPayment(invoice)
  const id = parseId(invoice.paymentId)
  if (!payment || id === undefined || resources.find('payments', String(id))) return
  const model = toPaymentModel(id, options.partner)
  rememberPayment(changeResource(model, model.initial, payment), resources)
}

/** What an invoice says about its payment; `undefined` if it has none yet. */
export function toLinkedPayment(invoice: SampleObject) {
  const status = PAYMENT_STATUSES.get(invoice.status)
  const { id: invoiceId, payerAccountId, payeeAccountId, amount } = invoice
  return status === undefined ? undefined : { status, invoiceId, payerAccountId, payeeAccountId, amount }
}
