import { createHash } from 'node:crypto'
import type { EventKind } from '../../events/kinds.ts'
import { type SampleObject, sampleData, toWireJson } from '../../testing/sample-data.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import { parseId } from '../state/resource-ids.ts'
import type { ResourceKind } from '../state/resources.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import { changeResource, type ResourceModel } from './resource-model.ts'

interface ResourceEvents {
  /** The kind of the events that the payer's account gets. */
  readonly payerKind: EventKind
  readonly payeeKind: EventKind
  readonly usualStatuses: readonly string[]
  readonly toModel: (id: bigint, state: SandboxState) => ResourceModel
}

/** The payee sends an invoice, the payer a payment. */
export const RESOURCE_EVENTS: Readonly<Record<ResourceKind, ResourceEvents>> = {
  payments: {
    payerKind: 'OUTBOUND_PAYMENT_STATUS_UPDATED',
    payeeKind: 'INBOUND_PAYMENT_STATUS_UPDATED',
    usualStatuses: ['Sent', 'PendingAuth', 'Authorized', 'InProgress', 'Complete'],
    toModel: toPaymentModel,
  },
  invoices: {
    payerKind: 'INBOUND_INVOICE_STATUS_UPDATED',
    payeeKind: 'OUTBOUND_INVOICE_STATUS_UPDATED',
    usualStatuses: ['Claimed', 'MarkAsPaid'],
    toModel: toInvoiceModel,
  },
}

/** Keeps the data of a resource of which there is only an event, and that of an invoice's payment. */
export function rememberEvent(kind: ResourceKind, data: SampleObject, state: SandboxState): void {
  state.resources.remember(kind, toWireJson(RESOURCE_EVENTS[kind].payerKind, data))
  const payment = kind === 'invoices' ? toLinkedPayment(data) : undefined
  if (!payment) return
  const model = toPaymentModel(payment.id, state)
  rememberEvent('payments', changeResource(model, model.initial, payment), state)
}

/** Its request id, transactions and receipt derive from its id, so that all events of a payment agree. */
function toPaymentModel(id: bigint, { options }: SandboxState): ResourceModel {
  const [debitTxn, creditTxn, refundTxn] = [1n, 2n, 3n].map((digit) => ({
    id: id * 10n + digit,
    status: 'Initiated',
    errorCode: null,
    errorMessage: null,
  }))
  const own = { originalRequestId: toRequestId(id), mtlReceiptLinkUrl: undefined }
  const receipt = options.partner && { mtlReceiptLinkUrl: `https://receipts.example/${id}` }
  const moving = (status: string) => ({
    ...own,
    debitTxn: { ...debitTxn, status },
    creditTxn: { ...creditTxn, status },
    ...receipt,
  })
  return {
    initial: sampleData('OUTBOUND_PAYMENT_STATUS_UPDATED', {
      ...own,
      id,
      invoiceId: null,
      status: 'Drafted',
      payerAccountId: Number(USERS[0].accountId),
      payeeAccountId: Number(APPLICATION.accountId),
      debitTxn: undefined,
      creditTxn: undefined,
      debitMethodProcessed: undefined,
      creditMethodProcessed: undefined,
    }),
    fieldsOf: (status) => {
      if (status === 'InProgress') return moving('Initiated')
      if (status !== 'Complete') return own
      return { ...moving('Completed'), debitMethodProcessed: 'SameDay', creditMethodProcessed: 'Standard' }
    },
    parts: { debitTxn, creditTxn, refundTxn },
  }
}

function toRequestId(id: bigint): string {
  const hex = createHash('sha256').update(String(id)).digest('hex')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-a$4-$5')
}

/** The status of the payment in the statuses of an invoice that have one. */
const PAYMENT_STATUSES = new Map<unknown, string>([
  ['Claimed', 'Sent'],
  ['MarkAsPaid', 'Complete'],
])

/** An invoice. It has the id of its payment once the payer accepts it. */
function toInvoiceModel(id: bigint, { ids }: SandboxState): ResourceModel {
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
