// Receive notifications

export type { Webhook, WebhookContext } from './notification/open-notification.ts'
export type { Handler } from './receiver/handlers.ts'
export type { DeadHook, ErrorHook, RejectedHook, RejectedRequest } from './receiver/hooks.ts'
export type { Logger } from './receiver/logger.ts'
export { type AnyReceiver, createReceiver, type Receiver } from './receiver/receiver.ts'
export type { CurrentOption, IdempotencyKeyOption, ReceiverOptions } from './receiver/receiver-options.ts'
export type { Reply } from './receiver/reply.ts'
export type { ProcessMessage, PutMessage, ReceiveMessage } from './receiver/tracing.ts'
export type { Claim, RunHandlers, TransactionOption } from './receiver/transaction.ts'
export { withCallbackToken } from './verification/callback-token.ts'
export type { VerifierOptions, WebhookHeaders, WebhookRequest } from './verification/request-verifier.ts'

// What a receiver needs of an inbox

export type { NotificationSource, SignedNotification } from './notification/signed-notification.ts'
export type {
  DeadNotification,
  InboxConsumer,
  InboxDelivery,
  InboxNotification,
  ReceiverInbox,
} from './receiver/receiver-inbox.ts'

// Inboxes, of payhook/sqlite, payhook/bullmq and payhook/postgres

export type { HealthOptions, InboxHealth } from './inbox/health.ts'
export type {
  EntriesOptions,
  Inbox,
  InboxCounts,
  InboxEntry,
  InboxState,
  ListOptions,
  PruneOptions,
  ReplayFilter,
  ReplayOptions,
} from './inbox/inbox.ts'
export type { InboxOptions } from './inbox/inbox-options.ts'

// Find what never came

export type { ReconcileItem } from './reconcile/listed-item.ts'
export {
  type ReconcileOptions,
  type ReconcileResult,
  reconcile,
} from './reconcile/reconcile.ts'

// Sign, verify and parse

export type { Body } from './body-bytes.ts'
export { parse, verifyAndParse } from './parse.ts'
export { sign, type VerifyOptions, verify } from './verification/signature.ts'

// Events

export type { KindSchemas, KindsOption, NoKinds, StandardSchema } from './events/kind-schemas.ts'
export { EVENT_KINDS, type EventKind } from './events/kinds.ts'
export type {
  EventData,
  Issue,
  UnrecognizedEvent,
  WebhookEvent,
  WebhookEventOf,
  WebhookEventType,
} from './events/webhook-event.ts'
export type { JsonObject, JsonValue } from './json/json-value.ts'

// Data of events, and its schemas

export { type AccountData, accountDataSchema } from './events/account-data.ts'
export { type Amount, amountSchema, decimalSchema } from './events/amount.ts'
export { identifierSchema } from './events/identifier.ts'
export { type InvoiceData, invoiceDataSchema } from './events/invoice-data.ts'
export { InvoiceStatus } from './events/invoice-status.ts'
export {
  type PaymentData,
  paymentDataSchema,
  type RefundTransaction,
  refundTransactionSchema,
  type Transaction,
  transactionSchema,
} from './events/payment-data.ts'
export { PaymentStatus, paymentStatusLabel } from './events/payment-status.ts'
export { toMinorUnits } from './events/to-minor-units.ts'
export { compareDecimals } from './json/decimal.ts'

// Errors

export {
  type ErrorCode,
  HandlingError,
  type HandlingErrorCode,
  InboxError,
  type InboxErrorCode,
  NonRetriableError,
  PayhookError,
  PayloadError,
  type PayloadErrorCode,
  RequestError,
  type RequestErrorCode,
  RetryAfterError,
  type RetryAfterOptions,
  SignatureError,
  type SignatureErrorCode,
} from './errors.ts'
export { type AnyPayhookError, isPayhookError } from './is-payhook-error.ts'
