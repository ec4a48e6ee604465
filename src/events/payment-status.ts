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

/** A payment status. Editors suggest the known ones; any other string is accepted. */
export type PaymentStatus = KnownPaymentStatus | (string & {})

/** The payment statuses of the protocol, in its order. */
export const PAYMENT_STATUSES = Object.keys(LABELS) as readonly KnownPaymentStatus[]

/**
 * The label of a payment status in the customer application.
 *
 * @returns `undefined` if the status is unknown
 * @example
 * paymentStatusLabel('Complete') // 'Deposited'
 */
export function paymentStatusLabel(status: KnownPaymentStatus): string
export function paymentStatusLabel(status: string): string | undefined
export function paymentStatusLabel(status: string): string | undefined {
  return Object.hasOwn(LABELS, status) ? LABELS[status as KnownPaymentStatus] : undefined
}
