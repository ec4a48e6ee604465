import { EVENT_KINDS } from '../../../events/kinds.ts'
import { PaymentStatus } from '../../../events/payment-status.ts'
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
  ...['debitMethodProcessed', 'creditMethodProcessed'],
]

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
        ? Object.values(PaymentStatus).map((status) =>
            samples.signed(samples.body(samples.kind, { status }), { label: status }),
          )
        : [],
  },
  {
    id: 'optional-fields',
    needs: 'a kind of payment',
    level: 'must',
    title: 'A payment whose optional fields are null, and one without them',
    why: 'Half of the fields are only there when they apply.',
    mend: 'Require "id" and "status" only.',
    requests: (samples) => {
      if (!samples.isPayment) return []
      const body = (value: null | undefined) =>
        samples.body(samples.kind, Object.fromEntries(WHEN_APPLICABLE.map((name) => [name, value])))
      return [
        samples.signed(body(null), { label: 'null' }),
        samples.signed(body(undefined), { label: 'absent' }),
      ]
    },
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
