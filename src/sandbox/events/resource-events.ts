import type { EventKind } from '../../events/kinds.ts'
import { type SampleObject, toWireJson } from '../../testing/sample-data.ts'
import type { ResourceKind } from '../state/resources.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import { toInvoiceModel, toLinkedPayment } from './invoice.ts'
import { toPaymentModel } from './payment.ts'
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
