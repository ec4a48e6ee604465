import { type EventKind, KINDS } from '../../events/kinds.ts'
import { idField, type Overrides, type SampleValue, sampleData } from '../../testing/sample-data.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import { parseId } from '../state/resource-ids.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import { rememberInvoice, toInvoiceModel } from './invoice.ts'
import { rememberPayment, toPaymentModel } from './payment.ts'
import { changeResource, type ResourceModel } from './resource-model.ts'

/**
 * The event at an index of a burst, as data from the view of one account. Without a burst there is one event.
 */
export type EventAt = (index: number, burst: number) => (accountId: string) => SampleValue

const [FIRST_USER] = USERS

/** The field with the notified account. */
const OWN_SIDES: Partial<Record<EventKind, 'payerAccountId' | 'payeeAccountId'>> = {
  OUTBOUND_PAYMENT_STATUS_UPDATED: 'payerAccountId',
  INBOUND_PAYMENT_STATUS_UPDATED: 'payeeAccountId',
  OUTBOUND_INVOICE_STATUS_UPDATED: 'payeeAccountId',
  INBOUND_INVOICE_STATUS_UPDATED: 'payerAccountId',
}

/**
 * The events of a trigger: samples of the kind with the changes, about the notified account. Each has a new
 * resource, unless the changes have an id, which a burst counts up.
 */
export function toTriggeredEvents(kind: EventKind, changes: Overrides, state: SandboxState): EventAt {
  const [isPayment, isInvoice] = [KINDS[kind] === 'payment', KINDS[kind] === 'invoice']
  const sample = sampleData(kind)
  const idName = idField(kind)
  const isNamed = Object.hasOwn(changes, idName)
  const named = isNamed ? parseId(changes[idName]) : undefined
  return (index, burst) => {
    const id = named === undefined ? BigInt(state.ids.next(kind)) : named + BigInt(index)
    const model: ResourceModel = isPayment
      ? toPaymentModel(id, state.options.partner)
      : isInvoice
        ? toInvoiceModel(id, state.ids)
        : { initial: { ...sample, [idName]: id }, fieldsOf: () => ({}), parts: {} }
    const wanted = isNamed && index > 0 ? { ...changes, [idName]: id } : changes
    return (accountId) => {
      const data = changeResource(model, model.initial, {
        status: sample.status,
        // An account has one status, so a burst is about many accounts.
        ...(kind === 'ACCOUNT_STATUS_UPDATED' && burst === 1 && { id: Number(accountId) }),
        ...toSides(kind, accountId, wanted),
        ...wanted,
      })
      if (isPayment) rememberPayment(data, state.resources)
      if (isInvoice) rememberInvoice(data, state)
      return data
    }
  }
}

function toSides(kind: EventKind, accountId: string, changes: Overrides): Overrides {
  const side = OWN_SIDES[kind]
  if (side === undefined) return {}
  const own = String(Object.hasOwn(changes, side) ? changes[side] : accountId)
  const other = own === FIRST_USER.accountId ? APPLICATION : FIRST_USER
  return {
    [side]: Number(accountId),
    [side === 'payerAccountId' ? 'payeeAccountId' : 'payerAccountId']: Number(other.accountId),
  }
}
