/** The ten kinds of event of the protocol, as sent in `type`. */
export const EVENT_KINDS = [
  'ACCOUNT_STATUS_UPDATED',
  'OUTBOUND_PAYMENT_STATUS_UPDATED',
  'INBOUND_PAYMENT_STATUS_UPDATED',
  'OUTBOUND_INVOICE_STATUS_UPDATED',
  'INBOUND_INVOICE_STATUS_UPDATED',
  'VBA_ACCOUNT_STATUS_UPDATED',
  'VBA_TRANSACTION',
  'VIRTUAL_CARD_APPLICATION_STATUS_UPDATED',
  'VIRTUAL_CARD_BALANCE_UPDATED',
  'VIRTUAL_CARD_TRANSACTION',
] as const

/** One of {@link EVENT_KINDS}. */
export type EventKind = (typeof EVENT_KINDS)[number]

/**
 * Every kind that is parsed: those that can be registered, and the kind of the earlier form of payment
 * notifications, which some receivers still get.
 */
export const PARSED_KINDS = [...EVENT_KINDS, 'PAYMENT_STATUS_UPDATED'] as const
