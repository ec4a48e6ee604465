import type { EventKind } from '../../events/kinds.ts'
import { BoundedMap } from './bounded-map.ts'

/** A payment or invoice is outbound for one side and inbound for the other. */
type Resource<Kind> = Kind extends `${'INBOUND' | 'OUTBOUND'}_${infer Rest}` ? Rest : Kind

/** The first ids. Account ids start after those of the application and the users. */
const FIRST_IDS: Record<Resource<EventKind>, number> = {
  ACCOUNT_STATUS_UPDATED: 710_101,
  PAYMENT_STATUS_UPDATED: 48_201,
  INVOICE_STATUS_UPDATED: 90_301,
  VBA_ACCOUNT_STATUS_UPDATED: 3_301,
  VBA_TRANSACTION: 88_012,
  VIRTUAL_CARD_APPLICATION_STATUS_UPDATED: 6_120,
  VIRTUAL_CARD_BALANCE_UPDATED: 6_121,
  VIRTUAL_CARD_TRANSACTION: 99_310,
}

const MAX_INVOICES = 100_000

export class ResourceIds {
  #next = { ...FIRST_IDS }
  /** The ids of payments, by the ids of their invoices. */
  readonly #payments = new BoundedMap<bigint, number>(MAX_INVOICES)

  get state(): Record<string, number> {
    return { ...this.#next }
  }

  restore(state: Readonly<Record<string, number>>): void {
    this.#next = { ...FIRST_IDS, ...state }
    this.#payments.clear()
  }

  next(kind: EventKind): number {
    return this.#next[kind.replace(/^(?:IN|OUT)BOUND_/, '') as Resource<EventKind>]++
  }

  /** The id of an invoice's payment, unless the caller sets another. */
  paymentOf(invoiceId: bigint): bigint {
    const id = this.#payments.get(invoiceId) ?? this.next('OUTBOUND_PAYMENT_STATUS_UPDATED')
    this.#payments.set(invoiceId, id)
    return BigInt(id)
  }
}

/** The caller's id as an integer; `undefined` if it is not an integer. */
export function parseId(value: unknown): bigint | undefined {
  const text = String(value)
  return /^(?:0|[1-9]\d{0,999})$/.test(text) ? BigInt(text) : undefined
}
