import * as z from 'zod/mini'
import { isNumber, survivesDouble } from '../json/decimal.ts'
import { amountSchema } from './amount.ts'
import { mustBe, openObject, openText } from './fields.ts'
import { identifierSchema } from './identifier.ts'
import type { KnownInvoiceStatus } from './invoice-status.ts'

const date = z.iso.date()
// Nothing, or a time of day in any notation of ISO 8601, with or without an offset.
const TIME = /^(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/
const error = mustBe('an ISO date or date-time, such as 2026-11-21 or 2026-11-21T10:30:00Z, or a number')

/** An ISO 8601 date, alone or with a time, or the number of an epoch, kept as it was sent. */
export const dateSchema = z
  .union([z.string(), z.number()], { error })
  .check(z.refine((value) => typeof value === 'number' || isIsoDate(value) || isLongNumber(value)))

function isIsoDate(text: string): boolean {
  return z.validate(date, text.slice(0, 10)) && TIME.test(text.slice(10))
}

/** The text of a number that a double cannot hold, which is how an event has it. */
function isLongNumber(text: string): boolean {
  return isNumber(text) && !survivesDouble(text)
}

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
    /** Due date, as it was sent: an ISO 8601 date (`2026-11-21`), a date-time, or an epoch as a number. */
    dueDate: z.nullish(dateSchema),
    /**
     * Scheduled send date, as it was sent: an ISO 8601 date (`2026-11-21`), a date-time, or an epoch as a
     * number.
     */
    scheduledSentDateIso: z.nullish(dateSchema),
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
