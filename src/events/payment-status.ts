/**
 * The known payment statuses: those of the protocol, in its order, then others that the service has sent.
 *
 * @example
 * if (context.current.status !== PaymentStatus.Complete) return
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
  Claimed: 'Claimed',
  PendingApproval: 'PendingApproval',
  Reversed: 'Reversed',
  Scheduled: 'Scheduled',
  SchedulingInProgress: 'SchedulingInProgress',
} as const

export type KnownPaymentStatus = keyof typeof PaymentStatus

/** A payment status. Editors suggest the known ones; any other string is accepted. */
export type PaymentStatus = KnownPaymentStatus | (string & {})

// The labels in the customer application. The protocol states none for the others.
const LABELS = {
  Drafted: 'Drafted',
  Sent: 'Sent',
  PendingAuth: 'Claimed',
  Authorized: 'Claimed',
  InProgress: 'In Progress',
  Complete: 'Deposited',
  Cancelled: 'Closed',
  Closed: 'Closed',
} as const satisfies Partial<Record<KnownPaymentStatus, string>>

type LabeledPaymentStatus = keyof typeof LABELS

/**
 * The label of a payment status in the customer application.
 *
 * @returns `undefined` if the protocol states none
 * @example
 * paymentStatusLabel('Complete') // 'Deposited'
 */
export function paymentStatusLabel(status: LabeledPaymentStatus): string
export function paymentStatusLabel(status: string): string | undefined
export function paymentStatusLabel(status: string): string | undefined {
  return Object.hasOwn(LABELS, status) ? LABELS[status as LabeledPaymentStatus] : undefined
}
