/** The invoice statuses of the protocol, in its order. */
export const INVOICE_STATUSES = ['Sent', 'Claimed', 'MarkAsPaid', 'Cancelled', 'Updated', 'Closed'] as const

/** The invoice statuses of the protocol. */
export type KnownInvoiceStatus = (typeof INVOICE_STATUSES)[number]

/** An invoice status: the known ones complete in an editor, and any other is taken as it comes. */
export type InvoiceStatus = KnownInvoiceStatus | (string & {})
