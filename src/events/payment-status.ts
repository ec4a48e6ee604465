/**
 * The payment statuses of the protocol, in its order.
 *
 * @example
 * if (event.data.status === PaymentStatus.Complete) await ship(event.data.id)
 */
export const PaymentStatus = {
  Drafted: 'Drafted',
  Sent: 'Sent',
  PendingAuth: 'PendingAuth',
  Authorized: 'Authorized',
  InProgress: 'InProgress',
  Complete: 'Complete',
  Cancelled: 'Cancelled',
  Closed: 'Closed',
} as const

/** The payment statuses of the protocol. */
export type KnownPaymentStatus = keyof typeof PaymentStatus

/** A payment status. Editors suggest the known ones; any other string is accepted. */
export type PaymentStatus = KnownPaymentStatus | (string & {})

// The labels in the customer application.
const LABELS: Record<KnownPaymentStatus, string> = {
  Drafted: 'Drafted',
  Sent: 'Sent',
  PendingAuth: 'Claimed',
  Authorized: 'Claimed',
  InProgress: 'In Progress',
  Complete: 'Deposited',
  Cancelled: 'Closed',
  Closed: 'Closed',
}

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
