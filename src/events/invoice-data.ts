import * as z from 'zod/mini'
import { amountSchema } from './amount.ts'
import { identifierSchema } from './identifier.ts'
import { mustBe, openText } from './text.ts'

/** The invoice statuses of service.md 3.2, in its order. */
export const INVOICE_STATUSES = ['Sent', 'Claimed', 'MarkAsPaid', 'Cancelled', 'Updated', 'Closed'] as const

/** The invoice statuses of service.md 3.2. */
export type KnownInvoiceStatus = (typeof INVOICE_STATUSES)[number]

/** An invoice status: the known ones complete in an editor, and any other is taken as it comes. */
export type InvoiceStatus = KnownInvoiceStatus | (string & {})

const date = z.iso.date({ error: mustBe('a date, YYYY-MM-DD') })

/**
 * Data of `INBOUND_INVOICE_STATUS_UPDATED` and `OUTBOUND_INVOICE_STATUS_UPDATED` (service.md 2.6). Takes the wire's
 * JSON, gives the event's form; fields it does not name are kept.
 *
 * @example
 * invoiceDataSchema.parse({ id: 90233, status: 'MarkAsPaid' }).id // '90233'
 */
export const invoiceDataSchema = z.looseObject(
  {
    id: identifierSchema,
    status: openText<KnownInvoiceStatus>(),
    amount: z.nullish(amountSchema),
    payerAccountId: z.nullish(identifierSchema),
    payeeAccountId: z.nullish(identifierSchema),
    dueDate: z.nullish(date),
    scheduledSentDateIso: z.nullish(date),
    paymentId: z.nullish(identifierSchema),
  },
  { error: mustBe('an object') },
)

/** @see invoiceDataSchema */
export type InvoiceData = z.output<typeof invoiceDataSchema>
