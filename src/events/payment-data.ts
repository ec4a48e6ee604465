import * as z from 'zod/mini'
import { type Amount, amountSchema } from './amount.ts'
import { openObject, openText, text } from './fields.ts'
import { identifierSchema } from './identifier.ts'
import type { KnownPaymentStatus, PaymentStatus } from './payment-status.ts'

/** Refund transaction of a payment: a {@link Transaction} without `externalTransactionId`. */
export interface RefundTransaction {
  /** Internal transaction id, a decimal string. */
  id: string
  /** Internal transaction status. */
  status: string
  /** Set only if a debit was reversed or a credit was returned. */
  errorCode?: string | null | undefined
  /** Explains the reversal or the return. */
  errorMessage?: string | null | undefined
}

/** Internal transaction of the payer's side (`debitTxn`) or of the payee's side (`creditTxn`) of a payment. */
export interface Transaction extends RefundTransaction {
  /** End-to-end transaction reference. Absent if it does not apply. */
  externalTransactionId?: string | null | undefined
}

/**
 * Data of `INBOUND_PAYMENT_STATUS_UPDATED` and `OUTBOUND_PAYMENT_STATUS_UPDATED`. The earlier form of these
 * notifications has only `id`, `invoiceId`, `status`, `debitTxn` and `creditTxn`. Fields that are not listed
 * here are kept: after `if ('newField' in event.data)` TypeScript lets you read one.
 */
export interface PaymentData {
  /** Payment id, a decimal string. */
  id: string
  /** Invoice id, a decimal string. Absent or `null` if there is none. */
  invoiceId?: string | null | undefined
  /** Payment status. The service may add new ones. `paymentStatusLabel` returns the label users see. */
  status: PaymentStatus
  /** Reason for the status. Absent or `null` if there is none. */
  statusReason?: string | null | undefined
  /** Short URL of the receipt. For partner accounts only, while the status is `InProgress` or `Complete`. */
  mtlReceiptLinkUrl?: string | null | undefined
  /** Funding method type of the payer. */
  payerFundingMethodType?: string | null | undefined
  /** Funding method type of the payee. */
  receiverFundingMethodType?: string | null | undefined
  /** Account id of the payer, a decimal string. */
  payerAccountId?: string | null | undefined
  /** Account id of the payee, a decimal string. */
  payeeAccountId?: string | null | undefined
  /** Request id of the API call that created the payment. */
  originalRequestId?: string | null | undefined
  /** Purpose of the payment. Absent or `null` if it does not apply. */
  purposeOfPayment?: string | null | undefined
  /** Description of the purpose. Absent or `null` if it does not apply. */
  purposeOfPaymentDescription?: string | null | undefined
  /** Processing preference requested for the debit leg. Absent if it does not apply. */
  debitPreferredMethodRequested?: string | null | undefined
  /** Processing preference requested for the credit leg. Absent if it does not apply. */
  creditPreferredMethodRequested?: string | null | undefined
  /** Method used for the debit leg. Final only if the status is `Complete`; absent if it does not apply. */
  debitMethodProcessed?: string | null | undefined
  /** Method used for the credit leg. Final only if the status is `Complete`; absent if it does not apply. */
  creditMethodProcessed?: string | null | undefined
  /** Amount of the payment. Absent in the earlier form of the notification. */
  amount?: Amount | null | undefined
  /** Internal transaction of the payer's side. Absent or `null` if it does not apply. */
  debitTxn?: Transaction | null | undefined
  /** Internal transaction of the payee's side. Absent or `null` if it does not apply. */
  creditTxn?: Transaction | null | undefined
  /** Refund transaction. Absent or `null` if there is none. */
  refundTxn?: RefundTransaction | null | undefined
}

const refundFields = {
  id: identifierSchema,
  status: text,
  errorCode: z.nullish(text),
  errorMessage: z.nullish(text),
}

/** Schema of {@link Transaction}. Takes the JSON as sent, and returns the event's form. */
export const transactionSchema = openObject(
  { ...refundFields, externalTransactionId: z.nullish(text) },
  'a transaction, { id, status, … }',
)

/** Schema of {@link RefundTransaction}. Takes the JSON as sent, and returns the event's form. */
export const refundTransactionSchema = openObject(refundFields, 'a refund transaction, { id, status, … }')

/**
 * Schema of {@link PaymentData}. Takes the JSON as sent, and returns the event's form.
 *
 * @example
 * paymentDataSchema.parse({ id: 48121, status: 'Complete' }).id // '48121'
 */
export const paymentDataSchema = openObject(
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
  'an object',
)
