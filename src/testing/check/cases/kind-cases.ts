import { InvoiceStatus } from '../../../events/invoice-status.ts'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { PaymentStatus, paymentStatusLabel } from '../../../events/payment-status.ts'
import type { Overrides } from '../../sample-data.ts'
import { A_PAYMENT, type Cases, type Need, type SendingCase } from '../check-case.ts'
import { type Draft, each, type Samples } from '../samples.ts'

const ACKNOWLEDGE =
  'Respond with a 2xx once it is stored, whatever is in its data and whatever came before it.'

const EARLIER = 'PAYMENT_STATUS_UPDATED'
const ACCOUNT = 'ACCOUNT_STATUS_UPDATED'
const isInvoice = (kind: string) => kind.endsWith('_INVOICE_STATUS_UPDATED')

const AN_INVOICE: Need = { what: 'a kind of invoice', isMet: ({ kinds }) => kinds.some(isInvoice) }

const OF_EACH_KIND = EVENT_KINDS.map((kind): [id: string, SendingCase] => {
  const name = kind.toLowerCase().replaceAll('_', '-')
  const one: SendingCase = {
    title: `${kind}, with data as a JSON string`,
    why: 'This is the form that the service documents. It gives up after three attempts.',
    mend: `${ACKNOWLEDGE} If this kind is not registered for the URL, leave it out: list those that are.`,
    needs: { what: 'this kind', isMet: ({ kinds }) => kinds.includes(kind) },
    requests: [{ kind }],
  }
  return [`kind-${name.replace(/(?:-status)?-updated$/, '')}`, one]
})

/** The statuses of an invoice that the service documents. */
const DOCUMENTED = ['Sent', 'Claimed', 'MarkAsPaid', 'Cancelled', 'Updated', 'Closed']
const isDocumented = (status: string) => paymentStatusLabel(status) !== undefined
const withStatus = (status: string): Draft => ({ data: { status } })
const ofInvoice = ({ kinds }: Samples, data: Overrides): Draft => ({ kind: kinds.find(isInvoice), data })

/** Fields of a payment that the service documents as missing, null, or there when applicable. */
const WHEN_APPLICABLE = [
  ...['purposeOfPayment', 'purposeOfPaymentDescription', 'refundTxn', 'mtlReceiptLinkUrl'],
  ...['debitPreferredMethodRequested', 'creditPreferredMethodRequested', 'debitTxn', 'creditTxn'],
  ...['debitMethodProcessed', 'creditMethodProcessed', 'invoiceId', 'statusReason'],
]

/** The same of an invoice. */
const WHEN_PAID = ['paymentId', 'dueDate', 'scheduledSentDateIso']
const all = (names: readonly string[], value: null | undefined): Overrides =>
  Object.fromEntries(names.map((name) => [name, value]))

/** A payment that was returned, with all that the service documents for it. */
const RETURNED = {
  status: 'Closed',
  statusReason: 'The debit was returned',
  mtlReceiptLinkUrl: 'https://check.example/r/1',
  debitTxn: { errorCode: 'R01', errorMessage: 'Insufficient funds', externalTransactionId: 'payhook-check' },
  refundTxn: { id: 999_000_000, status: 'Initiated', errorCode: null, errorMessage: null },
}

/** Fields of a payment in forms, and with values, that the service does not document. */
const OPEN = [
  ...['{"debitTxn":{"status":null}}', '{"creditTxn":{"errorCode":7}}', '{"refundTxn":{}}'],
  ...['{"debitTxn":{"status":"PayhookCheck"}}', '{"payerFundingMethodType":"PayhookCheck"}'],
  '{"creditMethodProcessed":"PayhookCheck"}',
]

/** What notifications are about. */
export const KIND_CASES: Cases<SendingCase> = {
  // The first one, which tells whether a receiver is there at all.
  plain: {
    title: 'A plain notification, as the service sends it',
    why: 'A receiver that does not accept it accepts nothing.',
    mend: 'Check the URL, and that the receiver verifies with the client id that is used here.',
  },
  ...Object.fromEntries(OF_EACH_KIND),
  'inline-data': {
    level: 'should',
    title: 'Every kind, with data as an object',
    why: 'Some samples of the service have an object where its contract has a string.',
    mend: 'Parse "data" only if it is a string.',
    requests: ({ kinds }) => each(kinds, (kind) => ({ kind, inline: true })),
  },
  statuses: {
    needs: A_PAYMENT,
    title: 'Every status of a payment',
    why: 'The service documents these statuses, and does not say which of them are notified.',
    mend: 'Accept every status. Ignore those that you do not need. No status guarantees a field, such as a receipt link.',
    requests: each(Object.values(PaymentStatus).filter(isDocumented), withStatus),
  },
  'invoice-statuses': {
    needs: AN_INVOICE,
    title: 'Every status of an invoice',
    why: 'The service documents these statuses.',
    mend: 'Accept every status. Ignore those that you do not need.',
    requests: (samples) => each(DOCUMENTED, (status) => ofInvoice(samples, { status })),
  },
  'account-flags': {
    needs: { what: `the kind ${ACCOUNT}`, isMet: ({ kinds }) => kinds.includes(ACCOUNT) },
    title: 'An account that is not ready, and one that is not verified',
    why: 'Both are notified. A false value is not a missing one.',
    mend: 'Test whether a field is there, not whether it is true.',
    requests: {
      'paymentReady: false': { kind: ACCOUNT, data: { paymentReady: false } },
      'verified: false': { kind: ACCOUNT, data: { verified: false } },
    },
  },
  'optional-fields': {
    needs: A_PAYMENT,
    title: 'A payment whose optional fields are null, one without them, and one that was returned',
    why: 'Half of the fields are only there when they apply.',
    mend: 'Require "id" and "status" only.',
    requests: {
      null: { data: all(WHEN_APPLICABLE, null) },
      absent: { data: all(WHEN_APPLICABLE, undefined) },
      returned: { data: RETURNED },
    },
  },
  'open-fields': {
    needs: A_PAYMENT,
    level: 'should',
    title: 'A nested status that is null, an error code that is a number, an empty refund, and new values',
    why: 'The service does not document them, but services of this kind send them.',
    mend: 'Validate only what you use, take a field that is null as absent, and accept any text.',
    requests: each(OPEN, (changes) => ({ data: JSON.parse(changes) })),
  },
  'earlier-form': {
    needs: A_PAYMENT,
    level: 'should',
    title: 'A payment in the earlier form: with five fields, also as PAYMENT_STATUS_UPDATED',
    why: 'Some receivers still get this form. It has no amount and no accounts.',
    mend: `${ACKNOWLEDGE} Require "id" and "status" only.`,
    requests: ({ kind }) =>
      each([EARLIER, kind], (name) => ({
        ...{ kind: EARLIER, data: { status: 'Sent' } },
        write: (json) => json.replace(EARLIER, name),
      })),
  },
  'unpaid-invoice': {
    needs: AN_INVOICE,
    level: 'should',
    title: 'An invoice without a payment and without dates, as null and absent, and one that is past due',
    why: 'A payment is linked once the invoice is paid. The service does not document what is there before. Its status changes after the due date, too.',
    mend: 'Require "id" and "status" only. Accept any date.',
    requests: (samples) => ({
      null: ofInvoice(samples, all(WHEN_PAID, null)),
      absent: ofInvoice(samples, all(WHEN_PAID, undefined)),
      'past due': ofInvoice(samples, { dueDate: '2020-02-29', scheduledSentDateIso: '2020-01-31' }),
    }),
  },
  'unknown-kind': {
    level: 'should',
    title: 'A kind that does not exist yet',
    why: 'The service adds kinds. An error makes it send the same notification three times, and alerts you for nothing.',
    mend: 'Respond with a 2xx to kinds that you do not know, and log them.',
    requests: [{ kind: 'PAYHOOK_CHECK_KIND' }],
  },
  'unknown-field': {
    level: 'should',
    title: 'A new field in the envelope, and one in the data',
    why: 'The service adds fields without notice.',
    mend: 'Ignore unknown fields when you validate.',
    requests: {
      envelope: { write: (json) => json.replace(/^\{/, '{"sequence":1,') },
      data: { data: { payhookCheck: { added: [true] } } },
    },
  },
  'unknown-status': {
    level: 'should',
    title: 'A status that does not exist yet, and those that the service sends without documenting them',
    why: 'A closed list of statuses turns a new one into a lost notification.',
    mend: 'Accept every status, and decide later what it means.',
    requests: (samples) => {
      const ofPayments = Object.values(PaymentStatus).filter((status) => !isDocumented(status))
      const ofInvoices = Object.values(InvoiceStatus).filter((status) => !DOCUMENTED.includes(status))
      return [
        ...each(['PayhookCheck', ...(samples.isPayment ? ofPayments : [])], withStatus),
        ...each(AN_INVOICE.isMet(samples) ? ofInvoices : [], (status) => ofInvoice(samples, { status })),
      ]
    },
  },
}
