import * as z from 'zod/mini'
import { amountSchema } from './amount.ts'
import { mustBe, openObject, openText, text } from './fields.ts'
import { identifierSchema } from './identifier.ts'
import type { KnownPaymentStatus } from './payment-status.ts'

/** Statuses of transactions that the service has sent. */
type KnownTransactionStatus =
  | 'Pending'
  | 'Ready'
  | 'OnHold'
  | 'Initiated'
  | 'Rejected'
  | 'Completed'
  | 'Closed'
  | 'Reversed'

/** Funding method types that the service has sent. */
type KnownFundingMethod =
  | 'Bank'
  | 'External'
  | 'Cheque'
  | 'Card'
  | 'Wallet'
  | 'VirtualCard'
  | 'VirtualBank'
  | 'CryptoWallet'

const fundingMethod = openText<KnownFundingMethod>()

const error = mustBe('a string or a number')

/** An empty object means that there is no transaction yet. */
const isIdentified = z.refine<{ readonly id?: unknown }>(
  (transaction) => transaction.id !== undefined || Object.keys(transaction).length === 0,
  { path: ['id'], error: 'is required, unless the object is empty' },
)

const refundFields = {
  /**
   * Internal transaction id, a decimal string. Absent if the whole object is empty: there is no transaction
   * yet.
   */
  id: z.optional(identifierSchema),
  /** Internal transaction status. The service may add new ones. Absent or `null` while it is unknown. */
  status: z.nullish(openText<KnownTransactionStatus>()),
  /** Set only if a debit was reversed or a credit was returned. A string or a number, as it was sent. */
  errorCode: z.nullish(z.union([z.string(), z.number()], { error })),
  /** Explains the reversal or the return. */
  errorMessage: z.nullish(text),
}

/** Schema of {@link Transaction}. Takes the JSON as sent, and returns the event's form. */
export const transactionSchema = openObject(
  {
    ...refundFields,
    /** End-to-end transaction reference. Absent if it does not apply. */
    externalTransactionId: z.nullish(text),
  },
  'a transaction, { id, status, … }',
).check(isIdentified)

/** Internal transaction of the payer's side (`debitTxn`) or of the payee's side (`creditTxn`) of a payment. */
export interface Transaction extends z.output<typeof transactionSchema> {}

/** Schema of {@link RefundTransaction}. Takes the JSON as sent, and returns the event's form. */
export const refundTransactionSchema = openObject(
  refundFields,
  'a refund transaction, { id, status, … }',
).check(isIdentified)

/** Refund transaction of a payment: a {@link Transaction} without `externalTransactionId`. */
export interface RefundTransaction extends z.output<typeof refundTransactionSchema> {}

/**
 * Schema of {@link PaymentData}. Takes the JSON as sent, and returns the event's form.
 *
 * @example
 * paymentDataSchema.parse({ id: 48121, status: 'Complete' }).id // '48121'
 */
export const paymentDataSchema = openObject(
  {
    /** Payment id, a decimal string. */
    id: identifierSchema,
    /** Invoice id, a decimal string. Absent or `null` if there is none. */
    invoiceId: z.nullish(identifierSchema),
    /**
     * Payment status. The service may add new ones.
     *
     * @see {@link paymentStatusLabel} for the label that users see
     */
    status: openText<KnownPaymentStatus>(),
    /** Reason for the status. Absent or `null` if there is none. */
    statusReason: z.nullish(text),
    /** Short URL of the receipt. For partner accounts only, while the status is `InProgress` or `Complete`. */
    mtlReceiptLinkUrl: z.nullish(text),
    /** Funding method type of the payer. The service may add new ones. */
    payerFundingMethodType: z.nullish(fundingMethod),
    /** Funding method type of the payee. The service may add new ones. */
    receiverFundingMethodType: z.nullish(fundingMethod),
    /** Account id of the payer, a decimal string. */
    payerAccountId: z.nullish(identifierSchema),
    /** Account id of the payee, a decimal string. */
    payeeAccountId: z.nullish(identifierSchema),
    /** Request id of the API call that created the payment. */
    originalRequestId: z.nullish(text),
    /** Purpose of the payment. Absent or `null` if it does not apply. */
    purposeOfPayment: z.nullish(text),
    /** Description of the purpose. Absent or `null` if it does not apply. */
    purposeOfPaymentDescription: z.nullish(text),
    /** Processing preference requested for the debit leg. Absent if it does not apply. */
    debitPreferredMethodRequested: z.nullish(text),
    /** Processing preference requested for the credit leg. Absent if it does not apply. */
    creditPreferredMethodRequested: z.nullish(text),
    /** Method used for the debit leg. Final only if the status is `Complete`; absent if it does not apply. */
    debitMethodProcessed: z.nullish(text),
    /** Method used for the credit leg. Final only if the status is `Complete`; absent if it does not apply. */
    creditMethodProcessed: z.nullish(text),
    /** Amount of the payment. Absent in the earlier form of the notification. */
    amount: z.nullish(amountSchema),
    /** Internal transaction of the payer's side. Absent or `null` if it does not apply. */
    debitTxn: z.nullish(transactionSchema),
    /** Internal transaction of the payee's side. Absent or `null` if it does not apply. */
    creditTxn: z.nullish(transactionSchema),
    /** Refund transaction. Absent or `null` if there is none. */
    refundTxn: z.nullish(refundTransactionSchema),
  },
  'an object',
)

/**
 * Data of `INBOUND_PAYMENT_STATUS_UPDATED` and `OUTBOUND_PAYMENT_STATUS_UPDATED`. The earlier form of these
 * notifications has only `id`, `invoiceId`, `status`, `debitTxn` and `creditTxn`. Fields that are not listed
 * here are kept: after `if ('newField' in event.data)` TypeScript lets you read one.
 */
export interface PaymentData extends z.output<typeof paymentDataSchema> {}
