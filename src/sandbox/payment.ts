import { type Overrides, sampleData } from '../testing/sample-data.ts'
import { APPLICATION, USERS } from './accounts.ts'
import type { Notifier } from './notifier.ts'
import type { SandboxPayment } from './sandbox.ts'
import { createStatusSequence } from './status-sequence.ts'

const KIND = 'OUTBOUND_PAYMENT_STATUS_UPDATED'

/** A payment with an id of its own; its transactions come with the statuses that move money (service.md 2.5, 3.1). */
export function createPayment(id: number, data: Overrides, notifier: Notifier): SandboxPayment {
  const initial = sampleData(KIND, {
    id,
    invoiceId: null,
    status: 'Drafted',
    payerAccountId: Number(USERS[0].accountId),
    payeeAccountId: Number(APPLICATION.accountId),
    debitTxn: undefined,
    creditTxn: undefined,
    debitMethodProcessed: undefined,
    creditMethodProcessed: undefined,
  })
  const debitTxn = transaction(id * 10 + 1, 'Complete')
  return createStatusSequence(
    initial,
    data,
    {
      payerKind: KIND,
      payeeKind: 'INBOUND_PAYMENT_STATUS_UPDATED',
      usualWay: ['Sent', 'PendingAuth', 'Authorized', 'InProgress', 'Complete'],
      stages: {
        InProgress: { debitTxn, creditTxn: transaction(id * 10 + 2, 'InProgress') },
        Complete: {
          debitTxn,
          creditTxn: transaction(id * 10 + 2, 'Complete'),
          debitMethodProcessed: 'SameDay',
          creditMethodProcessed: 'Standard',
        },
      },
    },
    notifier,
  )
}

function transaction(id: number, status: string): Overrides {
  return { id, status, errorCode: null, errorMessage: null }
}
