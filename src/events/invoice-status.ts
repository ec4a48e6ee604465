/**
 * The known invoice statuses: those of the protocol, in its order, then others that the service has sent.
 *
 * @example
 * if (context.current.status !== InvoiceStatus.MarkAsPaid) return
 */
export const InvoiceStatus = {
  Sent: 'Sent',
  Claimed: 'Claimed',
  MarkAsPaid: 'MarkAsPaid',
  Cancelled: 'Cancelled',
  Updated: 'Updated',
  Closed: 'Closed',
  Drafted: 'Drafted',
  Rejected: 'Rejected',
  Scheduled: 'Scheduled',
} as const

export type KnownInvoiceStatus = keyof typeof InvoiceStatus

/** An invoice status. Editors suggest the known ones; any other string is accepted. */
export type InvoiceStatus = KnownInvoiceStatus | (string & {})
