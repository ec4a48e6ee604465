export type { Body } from './body-bytes.ts'
export { type CallbackTokens, withCallbackToken } from './callback-token.ts'
export type { ClientIds } from './client-keys.ts'
export {
  type AnyPayhookError,
  type ErrorCode,
  HandlingError,
  type HandlingErrorCode,
  InboxError,
  type InboxErrorCode,
  isPayhookError,
  PayhookError,
  PayloadError,
  type PayloadErrorCode,
  RequestError,
  type RequestErrorCode,
  SignatureError,
  type SignatureErrorCode,
} from './errors.ts'
export { type AccountData, accountDataSchema } from './events/account-data.ts'
export { type Amount, amountSchema, decimalSchema } from './events/amount.ts'
export { identifierSchema } from './events/identifier.ts'
export {
  INVOICE_STATUSES,
  type InvoiceData,
  type InvoiceStatus,
  invoiceDataSchema,
  type KnownInvoiceStatus,
} from './events/invoice-data.ts'
export type { KindSchemas, KindsOption, NoKinds } from './events/kind-schemas.ts'
export { EVENT_KINDS, type EventKind } from './events/kinds.ts'
export {
  type PaymentData,
  paymentDataSchema,
  type RefundTransaction,
  refundTransactionSchema,
  type Transaction,
  transactionSchema,
} from './events/payment-data.ts'
export {
  type KnownPaymentStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
  paymentStatusLabel,
} from './events/payment-status.ts'
export type { StandardSchema } from './events/standard-schema.ts'
export type {
  EventData,
  Issue,
  KnownEvent,
  OwnEvent,
  UnrecognizedEvent,
  WebhookEvent,
  WebhookEventOf,
  WebhookEventType,
} from './events/webhook-event.ts'
export type { Handler } from './handlers.ts'
export type { DeadHook, ErrorHook, RejectedHook, RejectedRequest } from './hooks.ts'
export type { JsonObject, JsonValue } from './json/json-value.ts'
export type { LogFields, Logger } from './logger.ts'
export type { Webhook } from './open-notification.ts'
export { parse, verifyAndParse } from './parse.ts'
export { type AnyReceiver, createReceiver, type Receiver, type ReceiverOptions } from './receiver.ts'
export type {
  DeadNotification,
  Delivery,
  InboxConsumer,
  ReceiverInbox,
  SignedNotification,
} from './receiver-inbox.ts'
export type { Reply } from './reply.ts'
export type { VerifierOptions } from './request-verifier.ts'
export { type SignatureValue, type SignOptions, sign, type VerifyOptions, verify } from './signature.ts'
export type { WebhookContext } from './webhook-context.ts'
export type { HeaderLookup, ReadBody, WebhookHeaders, WebhookRequest } from './webhook-request.ts'
