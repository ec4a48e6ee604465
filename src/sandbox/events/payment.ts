import { createHash } from 'node:crypto'
import { sampleData } from '../../testing/sample-data.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import type { ResourceModel } from './resource-model.ts'

/** Its request id, transactions and receipt derive from its id, so that all events of a payment agree. */
export function toPaymentModel(id: bigint, { options }: SandboxState): ResourceModel {
  const [debitTxn, creditTxn, refundTxn] = [1n, 2n, 3n].map((digit) => ({
    id: id * 10n + digit,
    status: 'Initiated',
    errorCode: null,
    errorMessage: null,
  }))
  const own = { originalRequestId: toRequestId(id), mtlReceiptLinkUrl: undefined }
  const receipt = options.partner && { mtlReceiptLinkUrl: `https://receipts.example/${id}` }
  const moving = (status: string) => ({
    ...own,
    debitTxn: { ...debitTxn, status },
    creditTxn: { ...creditTxn, status },
    ...receipt,
  })
  return {
    initial: sampleData('OUTBOUND_PAYMENT_STATUS_UPDATED', {
      ...own,
      id,
      invoiceId: null,
      status: 'Drafted',
      payerAccountId: Number(USERS[0].accountId),
      payeeAccountId: Number(APPLICATION.accountId),
      debitTxn: undefined,
      creditTxn: undefined,
      debitMethodProcessed: undefined,
      creditMethodProcessed: undefined,
    }),
    fieldsOf: (status) => {
      if (status === 'InProgress') return moving('Initiated')
      if (status !== 'Complete') return own
      return { ...moving('Completed'), debitMethodProcessed: 'SameDay', creditMethodProcessed: 'Standard' }
    },
    parts: { debitTxn, creditTxn, refundTxn },
  }
}

function toRequestId(id: bigint): string {
  const hex = createHash('sha256').update(String(id)).digest('hex')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-a$4-$5')
}
