// The statuses received in webhooks and their labels in the customer application.
const LABELS = {
  Drafted: 'Drafted',
  Sent: 'Sent',
  PendingAuth: 'Claimed',
  Authorized: 'Claimed',
  InProgress: 'In Progress',
  Complete: 'Deposited',
  Cancelled: 'Closed',
  Closed: 'Closed',
} as const

/** The payment statuses of the protocol. */
export type KnownPaymentStatus = keyof typeof LABELS

/** A payment status: the known ones complete in an editor, and any other is taken as it comes. */
export type PaymentStatus = KnownPaymentStatus | (string & {})

/** The payment statuses of the protocol, in its order. */
export const PAYMENT_STATUSES = Object.keys(LABELS) as readonly KnownPaymentStatus[]

/**
 * What the customer application calls a payment status.
 *
 * @returns `undefined` for a status that the specification does not list
 * @example
 * paymentStatusLabel('Complete') // 'Deposited'
 */
export function paymentStatusLabel(status: KnownPaymentStatus): string
export function paymentStatusLabel(status: string): string | undefined
export function paymentStatusLabel(status: string): string | undefined {
  return Object.hasOwn(LABELS, status) ? LABELS[status as KnownPaymentStatus] : undefined
}
