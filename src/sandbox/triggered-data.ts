import type { EventKind } from '../events/kinds.ts'
import { type Overrides, sampleData } from '../testing/sample-data.ts'
import { APPLICATION, USERS } from './accounts.ts'
import { countUp, ID_FIELDS } from './notification-bodies.ts'
import type { DataFor } from './notifier.ts'
import { toNumericAccounts } from './numeric-accounts.ts'

const [FIRST_USER] = USERS

/** On which side of it the account is that is notified (service.md 6). */
const OWN_SIDES: Partial<Record<EventKind, 'payerAccountId' | 'payeeAccountId'>> = {
  OUTBOUND_PAYMENT_STATUS_UPDATED: 'payerAccountId',
  INBOUND_PAYMENT_STATUS_UPDATED: 'payeeAccountId',
  OUTBOUND_INVOICE_STATUS_UPDATED: 'payeeAccountId',
  INBOUND_INVOICE_STATUS_UPDATED: 'payerAccountId',
}

/** The data of triggered events. */
export class TriggeredData {
  readonly #counts = new Map<EventKind, number>()

  /** An event's data: the sample of its kind, made to concern the account that is told of it, with the changes. */
  next(kind: EventKind, changes: Overrides): DataFor {
    const by = this.#nextOffset(kind, changes)
    return (accountId) =>
      countUp(toNumericAccounts(sampleData(kind, { ...toOwnData(kind, accountId, changes), ...changes })), by)
  }

  /** How far the id is counted up, so that no event says the same as the one before; an account keeps its own. */
  #nextOffset(kind: EventKind, changes: Overrides): number {
    const sample = sampleData(kind)
    const id = ID_FIELDS.find((name) => Object.hasOwn(changes, name) || Object.hasOwn(sample, name))
    if (kind === 'ACCOUNT_STATUS_UPDATED' || (id !== undefined && Object.hasOwn(changes, id))) return 0
    const offset = this.#counts.get(kind) ?? 0
    this.#counts.set(kind, offset + 1)
    return offset
  }
}

function toOwnData(kind: EventKind, accountId: string, changes: Overrides): Overrides {
  if (kind === 'ACCOUNT_STATUS_UPDATED') return { id: Number(accountId) }
  const side = OWN_SIDES[kind]
  if (side === undefined) return {}
  const own = String(Object.hasOwn(changes, side) ? changes[side] : accountId)
  const other = own === FIRST_USER.accountId ? APPLICATION : FIRST_USER
  return {
    [side]: Number(accountId),
    [side === 'payerAccountId' ? 'payeeAccountId' : 'payerAccountId']: Number(other.accountId),
  }
}
