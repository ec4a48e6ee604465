import { InvoiceStatus } from '../../../events/invoice-status.ts'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { PaymentStatus, paymentStatusLabel } from '../../../events/payment-status.ts'
import type { SendingCase } from '../check-case.ts'

const ACKNOWLEDGE = 'Respond with a 2xx as soon as the notification is stored, whatever is in its data.'

const KIND_CASES = EVENT_KINDS.map(
  (kind): SendingCase => ({
    id: `kind-${kind
      .toLowerCase()
      .replaceAll('_', '-')
      .replace(/(?:-status)?-updated$/, '')}`,
    level: 'must',
    title: `${kind}, with data as a JSON string`,
    why: 'This is the form that the service documents. It gives up after three attempts.',
    mend: `${ACKNOWLEDGE} If this kind is not registered for the URL, leave it out: list those that are.`,
    needs: 'this kind',
    requests: (samples) => (samples.kinds.includes(kind) ? [samples.signed(samples.body(kind))] : []),
  }),
)

/** The first one, which tells whether a receiver is there at all. */
export const PLAIN: SendingCase = {
  id: 'plain',
  level: 'must',
  title: 'A plain notification, as the service sends it',
  why: 'A receiver that does not accept it accepts nothing.',
  mend: 'Check the URL, and that the receiver verifies with the client id that is used here.',
  requests: (samples) => [samples.signed(samples.body())],
}

/** Fields of a payment that the service documents as missing, null, or there when applicable. */
const WHEN_APPLICABLE = [
  ...['purposeOfPayment', 'purposeOfPaymentDescription', 'refundTxn', 'mtlReceiptLinkUrl'],
  ...['debitPreferredMethodRequested', 'creditPreferredMethodRequested', 'debitTxn', 'creditTxn'],
  ...['debitMethodProcessed', 'creditMethodProcessed', 'invoiceId', 'statusReason'],
]

/** A payment that was returned, with all that the service documents for it. */
const RETURNED = {
  status: 'Closed',
  statusReason: 'The debit was returned',
  mtlReceiptLinkUrl: 'https://check.example/r/1',
  debitTxn: { errorCode: 'R01', errorMessage: 'Insufficient funds', externalTransactionId: 'payhook-check' },
  refundTxn: { id: 999_000_000, status: 'Initiated', errorCode: null, errorMessage: null },
}

/** What notifications are about. */
export const CONTENT_CASES: readonly SendingCase[] = [
  ...KIND_CASES,
  {
    id: 'inline-data',
    level: 'should',
    title: 'Every kind, with data as an object',
    why: 'Some samples of the service have an object where its contract has a string.',
    mend: 'Parse "data" only if it is a string.',
    requests: (samples) =>
      samples.kinds.map((kind) => samples.signed(samples.body(kind, {}, true), { label: kind })),
  },
  {
    id: 'statuses',
    needs: 'a kind of payment',
    level: 'must',
    title: 'Every status of a payment',
    why: 'The service documents these statuses, and does not say which of them are notified.',
    mend: 'Accept every status. Ignore those that you do not need.',
    requests: (samples) =>
      samples.isPayment
        ? Object.values(PaymentStatus)
            .filter((status) => paymentStatusLabel(status) !== undefined)
            .map((status) => samples.signed(samples.body(samples.kind, { status }), { label: status }))
        : [],
  },
  {
    id: 'invoice-statuses',
    needs: 'a kind of invoice',
    level: 'must',
    title: 'Every status of an invoice',
    why: 'The service documents these statuses.',
    mend: 'Accept every status. Ignore those that you do not need.',
    requests: ({ kinds, signed, body }) => {
      const kind = kinds.find((one) => one.endsWith('_INVOICE_STATUS_UPDATED'))
      if (kind === undefined) return []
      return Object.values(InvoiceStatus).map((status) => signed(body(kind, { status }), { label: status }))
    },
  },
  {
    id: 'account-flags',
    needs: 'the kind ACCOUNT_STATUS_UPDATED',
    level: 'must',
    title: 'An account that is not ready, and one that is not verified',
    why: 'Both are notified. A false value is not a missing one.',
    mend: 'Test whether a field is there, not whether it is true.',
    requests: ({ kinds, signed, body }) =>
      kinds.includes('ACCOUNT_STATUS_UPDATED')
        ? ['paymentReady', 'verified'].map((flag) =>
            signed(body('ACCOUNT_STATUS_UPDATED', { [flag]: false }), { label: `${flag}: false` }),
          )
        : [],
  },
  {
    id: 'optional-fields',
    needs: 'a kind of payment',
    level: 'must',
    title: 'A payment whose optional fields are null, one without them, and one that was returned',
    why: 'Half of the fields are only there when they apply.',
    mend: 'Require "id" and "status" only.',
    requests: (samples) => {
      if (!samples.isPayment) return []
      const body = (value: null | undefined) =>
        samples.body(samples.kind, Object.fromEntries(WHEN_APPLICABLE.map((name) => [name, value])))
      return [
        samples.signed(body(null), { label: 'null' }),
        samples.signed(body(undefined), { label: 'absent' }),
        samples.signed(samples.body(samples.kind, RETURNED), { label: 'returned' }),
      ]
    },
  },
  {
    id: 'open-fields',
    needs: 'a kind of payment',
    level: 'should',
    title: 'A nested status that is null, an error code that is a number, and an empty refund',
    why: 'The service does not document them, but services of this kind send them.',
    mend: 'Validate only what you use, and take a field that is null as absent.',
    requests: (samples) =>
      samples.isPayment
        ? [{ debitTxn: { status: null } }, { creditTxn: { errorCode: 7 } }, { refundTxn: {} }].map(
            (changes) =>
              samples.signed(samples.body(samples.kind, changes), { label: JSON.stringify(changes) }),
          )
        : [],
  },
  {
    id: 'earlier-form',
    needs: 'a kind of payment',
    level: 'should',
    title: 'A payment in the earlier form: PAYMENT_STATUS_UPDATED, with five fields',
    why: 'Some receivers still get this form.',
    mend: ACKNOWLEDGE,
    requests: (samples) =>
      samples.isPayment ? [samples.signed(samples.body('PAYMENT_STATUS_UPDATED'))] : [],
  },
  {
    id: 'unknown-kind',
    level: 'should',
    title: 'A kind that does not exist yet',
    why: 'The service adds kinds. An error makes it send the same notification three times, and alerts you for nothing.',
    mend: 'Respond with a 2xx to kinds that you do not know, and log them.',
    requests: (samples) => [samples.signed(samples.body('PAYHOOK_CHECK_KIND', { id: samples.newId() }))],
  },
  {
    id: 'unknown-field',
    level: 'should',
    title: 'A new field in the envelope, and one in the data',
    why: 'The service adds fields without notice.',
    mend: 'Ignore unknown fields when you validate.',
    requests: (samples) => {
      const plain = samples.body()
      return [
        samples.signed(plain.replace(/^\{/, '{"sequence":1,'), { label: 'envelope' }),
        samples.signed(samples.body(samples.kind, { payhookCheck: { added: [true] } }), { label: 'data' }),
      ]
    },
  },
  {
    id: 'unknown-status',
    level: 'should',
    title: 'A status that does not exist yet',
    why: 'A closed list of statuses turns a new one into a lost notification.',
    mend: 'Accept every status, and decide later what it means.',
    requests: (samples) => [samples.signed(samples.body(samples.kind, { status: 'PayhookCheck' }))],
  },
]
