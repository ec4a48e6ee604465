import * as z from 'zod/mini'
import { amountSchema } from './amount.ts'
import { identifierSchema } from './identifier.ts'
import type { KnownPaymentStatus } from './payment-status.ts'
import { mustBe, openText, text } from './text.ts'

const refundFields = {
  id: identifierSchema,
  status: text,
  errorCode: z.nullish(text),
  errorMessage: z.nullish(text),
}

/** `debitTxn` and `creditTxn` of a payment (service.md 2.5). Takes the wire's JSON, gives the event's form. */
export const transactionSchema = z.looseObject(
  { ...refundFields, externalTransactionId: z.nullish(text) },
  { error: mustBe('a transaction, { id, status, … }') },
)

/** `refundTxn` of a payment: a transaction without `externalTransactionId` (service.md 2.5). */
export const refundTransactionSchema = z.looseObject(refundFields, {
  error: mustBe('a refund transaction, { id, status, … }'),
})

/**
 * Data of `INBOUND_PAYMENT_STATUS_UPDATED` and `OUTBOUND_PAYMENT_STATUS_UPDATED` (service.md 2.5), of the earlier,
 * shorter form too. Takes the wire's JSON, gives the event's form; fields it does not name are kept.
 *
 * @example
 * paymentDataSchema.parse({ id: 48121, status: 'Complete' }).id // '48121'
 */
export const paymentDataSchema = z.looseObject(
  {
    id: identifierSchema,
    invoiceId: z.nullish(identifierSchema),
    status: openText<KnownPaymentStatus>(),
    statusReason: z.nullish(text),
    mtlReceiptLinkUrl: z.nullish(text),
    payerFundingMethodType: z.nullish(text),
    receiverFundingMethodType: z.nullish(text),
    payerAccountId: z.nullish(identifierSchema),
    payeeAccountId: z.nullish(identifierSchema),
    originalRequestId: z.nullish(text),
    purposeOfPayment: z.nullish(text),
    purposeOfPaymentDescription: z.nullish(text),
    debitPreferredMethodRequested: z.nullish(text),
    creditPreferredMethodRequested: z.nullish(text),
    debitMethodProcessed: z.nullish(text),
    creditMethodProcessed: z.nullish(text),
    amount: z.nullish(amountSchema),
    debitTxn: z.nullish(transactionSchema),
    creditTxn: z.nullish(transactionSchema),
    refundTxn: z.nullish(refundTransactionSchema),
  },
  { error: mustBe('an object') },
)

/** @see paymentDataSchema */
export type PaymentData = z.output<typeof paymentDataSchema>
/** @see transactionSchema */
export type Transaction = z.output<typeof transactionSchema>
/** @see refundTransactionSchema */
export type RefundTransaction = z.output<typeof refundTransactionSchema>
