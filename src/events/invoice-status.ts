/** The invoice statuses of the protocol, in its order. */
export const INVOICE_STATUSES = ['Sent', 'Claimed', 'MarkAsPaid', 'Cancelled', 'Updated', 'Closed'] as const

/** The invoice statuses of the protocol. */
export type KnownInvoiceStatus = (typeof INVOICE_STATUSES)[number]

/** An invoice status. Editors suggest the known ones; any other string is accepted. */
export type InvoiceStatus = KnownInvoiceStatus | (string & {})
