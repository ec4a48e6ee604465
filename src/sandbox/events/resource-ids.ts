import type { EventKind } from '../../events/kinds.ts'

/** The same payments are outbound for one side and inbound for the other; invoices, too. */
type Resource<Kind> = Kind extends `${'INBOUND' | 'OUTBOUND'}_${infer Rest}` ? Rest : Kind

/** The first ids. Those of accounts are beyond the ids of the application and its users. */
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

/** Hands out ids, so that no two payments, invoices or other resources of a sandbox share one. */
export class ResourceIds {
  #next = { ...FIRST_IDS }

  reset(): void {
    this.#next = { ...FIRST_IDS }
  }

  /** The id of a new resource of the sort that the kind is about. */
  next(kind: EventKind): number {
    return this.#next[kind.replace(/^(?:IN|OUT)BOUND_/, '') as Resource<EventKind>]++
  }
}

/** The id that a caller gave, as an integer, or `undefined` if it is not one. */
export function parseId(value: unknown): bigint | undefined {
  const text = String(value)
  return /^\d{1,1000}$/.test(text) ? BigInt(text) : undefined
}
