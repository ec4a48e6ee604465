/** The parsed kinds, with what the `id` of their data identifies; `null` without a documented payload. */
export const KINDS = {
  ACCOUNT_STATUS_UPDATED: 'account',
  OUTBOUND_PAYMENT_STATUS_UPDATED: 'payment',
  INBOUND_PAYMENT_STATUS_UPDATED: 'payment',
  OUTBOUND_INVOICE_STATUS_UPDATED: 'invoice',
  INBOUND_INVOICE_STATUS_UPDATED: 'invoice',
  VBA_ACCOUNT_STATUS_UPDATED: null,
  VBA_TRANSACTION: null,
  VIRTUAL_CARD_APPLICATION_STATUS_UPDATED: null,
  VIRTUAL_CARD_BALANCE_UPDATED: null,
  VIRTUAL_CARD_TRANSACTION: null,
  // The earlier form of payment notifications, which some receivers still get. It cannot be registered.
  PAYMENT_STATUS_UPDATED: 'payment',
} as const

export type ParsedKind = keyof typeof KINDS
export type SubjectType = NonNullable<(typeof KINDS)[ParsedKind]>
/** One of {@link EVENT_KINDS}. */
export type EventKind = Exclude<ParsedKind, 'PAYMENT_STATUS_UPDATED'>

export const PARSED_KINDS = Object.keys(KINDS) as readonly ParsedKind[]

/** The ten kinds of event of the protocol, as sent in `type`. */
export const EVENT_KINDS = PARSED_KINDS.filter(
  (kind): kind is EventKind => kind !== 'PAYMENT_STATUS_UPDATED',
) as readonly EventKind[]

export function isEventKind(kind: unknown): kind is EventKind {
  return (EVENT_KINDS as readonly unknown[]).includes(kind)
}

const SUBJECT_TYPES: ReadonlyMap<string, SubjectType | null> = new Map(Object.entries(KINDS))

/** What a kind is about; `null` if the service documents no payload for it, `undefined` if it is unknown. */
export function subjectTypeOf(kind: string): SubjectType | null | undefined {
  return SUBJECT_TYPES.get(kind)
}
