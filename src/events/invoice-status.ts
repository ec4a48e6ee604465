/**
 * The invoice statuses of the protocol, in its order.
 *
 * @example
 * if (event.data.status === InvoiceStatus.MarkAsPaid) await close(event.data.id)
 */
export const InvoiceStatus = {
  Sent: 'Sent',
  Claimed: 'Claimed',
  MarkAsPaid: 'MarkAsPaid',
  Cancelled: 'Cancelled',
  Updated: 'Updated',
  Closed: 'Closed',
} as const

/** The invoice statuses of the protocol. */
export type KnownInvoiceStatus = keyof typeof InvoiceStatus

/** An invoice status. Editors suggest the known ones; any other string is accepted. */
export type InvoiceStatus = KnownInvoiceStatus | (string & {})
