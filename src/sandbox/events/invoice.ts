import { type Overrides, type SampleObject, sampleData, toWireJson } from '../../testing/sample-data.ts'
import type { SandboxInvoice, SandboxPayment } from '../sandbox.ts'
import type { SandboxCore } from '../sandbox-core.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import { parseId, type ResourceIds } from '../state/resource-ids.ts'
import { createPayment, OUTBOUND_PAYMENT, rememberPayment, toPaymentModel } from './payment.ts'
import { changeResource, type ResourceModel } from './resource-model.ts'
import { createStatusSequence } from './status-sequence.ts'

const OUTBOUND_INVOICE = 'OUTBOUND_INVOICE_STATUS_UPDATED'

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
export function rememberInvoice(invoice: SampleObject, { resources, options }: SandboxCore): void {
  resources.remember('invoices', toWireJson(OUTBOUND_INVOICE, invoice))
  const payment = toLinkedPayment(invoice)
  const id = parseId(invoice.paymentId)
  if (!payment || id === undefined || resources.find('payments', String(id))) return
  const model = toPaymentModel(id, options.partner)
  rememberPayment(changeResource(model, model.initial, payment), resources)
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

/** What an invoice says about its payment; `undefined` if it has none yet. */
function toLinkedPayment(invoice: SampleObject) {
  const status = PAYMENT_STATUSES.get(invoice.status)
  const { id: invoiceId, payerAccountId, payeeAccountId, amount } = invoice
  return status === undefined ? undefined : { status, invoiceId, payerAccountId, payeeAccountId, amount }
}
