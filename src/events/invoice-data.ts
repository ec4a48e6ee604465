import * as z from 'zod/mini'
import { amountSchema } from './amount.ts'
import { mustBe, openObject, openText } from './fields.ts'
import { identifierSchema } from './identifier.ts'
import type { KnownInvoiceStatus } from './invoice-status.ts'

const date = z.iso.date()
// Nothing, or a time of day in any notation of ISO 8601, with or without an offset.
const TIME = /^(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/
const error = mustBe('an ISO date or date-time, such as 2026-11-21 or 2026-11-21T10:30:00Z')

/** An ISO 8601 date, alone or with a time, kept as it was sent. */
export const isoDateSchema = z
  .string({ error })
  .check(z.refine((value) => z.validate(date, value.slice(0, 10)) && TIME.test(value.slice(10))))

/**
 * Schema of {@link InvoiceData}. Takes the JSON as sent, and returns the event's form.
 *
 * @example
 * invoiceDataSchema.parse({ id: 90233, status: 'MarkAsPaid' }).id // '90233'
 */
export const invoiceDataSchema = openObject(
  {
    /** Invoice id, a decimal string. */
    id: identifierSchema,
    /** Invoice status. The service may add new ones. */
    status: openText<KnownInvoiceStatus>(),
    /** Amount of the invoice. */
    amount: z.nullish(amountSchema),
    /** Account id of the payer, a decimal string. */
    payerAccountId: z.nullish(identifierSchema),
    /** Account id of the payee, a decimal string. */
    payeeAccountId: z.nullish(identifierSchema),
    /** Due date: an ISO 8601 date (`2026-11-21`) or date-time, as it was sent. */
    dueDate: z.nullish(isoDateSchema),
    /** Scheduled send date: an ISO 8601 date (`2026-11-21`) or date-time, as it was sent. */
    scheduledSentDateIso: z.nullish(isoDateSchema),
    /** Id of the linked payment, a decimal string. Absent or `null` if there is none. */
    paymentId: z.nullish(identifierSchema),
  },
  'an object',
)

/**
 * Data of `INBOUND_INVOICE_STATUS_UPDATED` and `OUTBOUND_INVOICE_STATUS_UPDATED`. Fields that are not listed
 * here are kept: after `if ('newField' in event.data)` TypeScript lets you read one.
 */
export interface InvoiceData extends z.output<typeof invoiceDataSchema> {}
