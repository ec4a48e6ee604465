import { type Overrides, sampleData } from '../testing/sample-data.ts'
import { APPLICATION, USERS } from './accounts.ts'
import type { Notifier } from './notifier.ts'
import type { SandboxInvoice } from './sandbox.ts'
import { createStatusSequence } from './status-sequence.ts'

const KIND = 'OUTBOUND_INVOICE_STATUS_UPDATED'

/** An invoice with an id of its own; the payment is linked when the payer accepts it (service.md 2.6, 3.2). */
export function createInvoice(id: number, data: Overrides, notifier: Notifier): SandboxInvoice {
  const initial = sampleData(KIND, {
    id,
    status: 'Sent',
    payerAccountId: Number(USERS[0].accountId),
    payeeAccountId: Number(APPLICATION.accountId),
    paymentId: undefined,
  })
  const linked = { paymentId: id + 500_000 }
  return createStatusSequence(
    initial,
    data,
    {
      payerKind: 'INBOUND_INVOICE_STATUS_UPDATED',
      payeeKind: KIND,
      usualWay: ['Claimed', 'MarkAsPaid'],
      stages: { Claimed: linked, MarkAsPaid: linked },
    },
    notifier,
  )
}
