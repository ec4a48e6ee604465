import { expect, it } from 'vitest'
import { PaymentStatus, paymentStatusLabel } from '../../src/index.ts'

it('returns the labels of the customer application', () => {
  expect(Object.values(PaymentStatus).map((status) => [status, paymentStatusLabel(status)])).toEqual([
    ['Drafted', 'Drafted'],
    ['Sent', 'Sent'],
    ['PendingAuth', 'Claimed'],
    ['Authorized', 'Claimed'],
    ['InProgress', 'In Progress'],
    ['Complete', 'Deposited'],
    ['Cancelled', 'Closed'],
    ['Closed', 'Closed'],
    ...['Claimed', 'PendingApproval', 'Reversed', 'Scheduled', 'SchedulingInProgress'].map((status) => [
      status,
      undefined,
    ]),
  ])
})

it('returns no label for an unknown status', () => {
  for (const status of ['OnHold', '', 'complete', 'constructor', '__proto__']) {
    expect(paymentStatusLabel(status)).toBeUndefined()
  }
})
