import { A_PAYMENT, type Cases, type SendingCase } from '../check-case.ts'
import type { PlannedRequest } from '../planned-request.ts'
import { each } from '../samples.ts'

const IDEMPOTENT =
  'Respond with a 2xx to what was received before, and skip its effects. Insert its key with ON CONFLICT DO NOTHING.'

const JSON_TYPES = ['application/json; charset=utf-8', 'application/json;charset=UTF-8']

const repeated = (request: PlannedRequest, labels: readonly string[]) => each(labels, () => request)
const ofPayment = (id: number, statuses: readonly string[]) =>
  each(statuses, (status) => ({ data: { id, status } }))

/** How and how often notifications arrive. */
export const DELIVERY_CASES: Cases<SendingCase> = {
  'lowercase-header': {
    title: 'The header as access-signature, in lower case',
    why: 'Names of headers have no case. Proxies change it, and HTTP/2 always does.',
    mend: 'Look the header up without regard to case.',
    requests: [{ signatureName: 'access-signature' }],
  },
  charset: {
    title: 'The type application/json; charset=utf-8, in two spellings',
    why: 'HTTP allows parameters after a type, with or without a space, in any case. Many senders and proxies add this one.',
    mend: 'Do not compare the whole Content-Type. Better, accept any: the signature says what the body is.',
    requests: each(JSON_TYPES, (contentType) => ({ contentType })),
  },
  'few-headers': {
    level: 'should',
    title: 'No Content-Type, and no User-Agent',
    why: 'Of its headers, the service documents ACCESS-SIGNATURE only.',
    mend: 'Require no other header: the signature says who sent it. If a firewall does, make an exception for this path.',
    requests: {
      'no Content-Type': { contentType: null },
      'no User-Agent': { headers: { 'User-Agent': undefined } },
    },
  },
  chunked: {
    level: 'should',
    title: 'A body without Content-Length, in chunks',
    why: 'A sender or a proxy that streams does not know the length.',
    mend: 'Read the body to its end, instead of as many bytes as Content-Length says.',
    requests: [{ transfer: 'chunked' }],
  },
  pieces: {
    title: 'A body that arrives in pieces',
    why: 'A network splits a body wherever it likes.',
    mend: 'Collect all chunks before you verify, as bytes: a chunk may end within a letter.',
    requests: [{ text: 'ë'.repeat(40), transfer: 'in pieces' }],
  },
  'three-times': {
    title: 'The same notification three times, one after the other',
    why: 'The service makes up to three attempts. If your response was lost, the next attempt is the same notification.',
    mend: IDEMPOTENT,
    unseen: 'whether it was handled once. Look for effects that are there twice.',
    requests: ({ plan }) => repeated(plan(), ['first', 'second', 'third']),
  },
  'three-at-once': {
    title: 'The same notification three times at once',
    why: 'Attempts overlap if a response takes longer than the five seconds between them.',
    mend: `${IDEMPOTENT} A check before the insert is not enough.`,
    unseen: 'whether it was handled once. Look for effects that are there twice.',
    order: 'at once',
    oneIsEnough: true,
    requests: ({ plan }) => repeated(plan(), ['one', 'another', 'a third']),
  },
  'out-of-order': {
    needs: A_PAYMENT,
    title: 'One payment: Authorized, Complete, then Sent',
    why: 'The service does not guarantee the order.',
    mend: 'Accept a status that comes late, and ignore it, or read the current one from the API. The id of a payment is no unique key: it has several notifications.',
    unseen: 'whether the payment went back from Complete to Sent. Look at what was stored.',
    requests: ({ newId }) => ofPayment(newId(), ['Authorized', 'Complete', 'Sent']),
  },
  'one-payment-at-once': {
    needs: A_PAYMENT,
    title: 'Four statuses of one payment at once',
    why: 'Two processes that change the same row wait for each other, deadlock, or overwrite.',
    mend: 'Accept them in any order. Lock the row of the payment, or handle what concerns one payment one at a time.',
    unseen: 'whether all four were applied. Look at what was stored.',
    order: 'at once',
    oneIsEnough: true,
    requests: ({ newId }) => ofPayment(newId(), ['Sent', 'PendingAuth', 'Authorized', 'InProgress']),
  },
  'same-status': {
    needs: A_PAYMENT,
    level: 'should',
    title:
      'One status of a payment with another reason, in the other direction, and of an invoice with its id',
    why: 'They are different notifications. Who pays within one account gets both directions, and invoices have ids of their own.',
    mend: 'The id and the status are no unique key of a notification. With the kind, they name a fact: accept a second one, and ignore it.',
    requests: ({ kind, kinds, newId }) => {
      const data = { id: newId(), status: 'Sent' }
      const others = kinds.filter((name) => name !== kind && /_(?:PAYMENT|INVOICE)_STATUS_/.test(name))
      return [
        { label: 'first', data },
        { label: 'another reason', data: { ...data, statusReason: 'payhook check' } },
        ...each(others, (name) => ({ kind: name, data })),
      ]
    },
  },
}

/** What senders do to each other. */
export const CONNECTION_CASES: Cases<SendingCase> = {
  'keep-alive': {
    title: 'Genuine and forged notifications on one connection',
    why: 'Senders and proxies reuse connections. A body that was not read is taken for the next request.',
    mend: 'Verify every request. Read or discard the whole body before you respond, or close the connection.',
    order: 'on one connection',
    requests: { genuine: {}, forged: { signatures: [] }, 'genuine, again': {} },
  },
  'genuine-beside-forged': {
    title: 'Genuine and forged notifications at once, and some slowly',
    why: 'What a receiver keeps of a request in a global variable ends up in another one.',
    mend: 'Keep the body, the signature and the result of a request in local variables.',
    order: 'at once',
    requests: {
      'genuine, in pieces': { transfer: 'in pieces' },
      'forged, in pieces': { transfer: 'in pieces', signs: '' },
      'genuine, whole': {},
      'forged, whole': { signs: '' },
      unsigned: { signatures: [] },
    },
  },
  'slow-body': {
    level: 'should',
    title: 'A body that takes two seconds to arrive',
    why: 'A network that loses packets sends them again, a second or more later.',
    mend: 'Wait some ten seconds for a body: ReadTimeout in Go, requestTimeout in Node, client_body_timeout in nginx.',
    requests: [{ transfer: 'slowly' }],
  },
  'stalled-sender': {
    level: 'should',
    title: 'A notification while another sender has stopped within a body',
    why: 'A receiver that serves one connection at a time can be blocked by a single slow sender.',
    mend: 'Serve connections concurrently, behind a proxy that buffers bodies or with a time limit.',
    order: 'beside a stalled one',
  },
}

export const LAST: Cases<SendingCase> = {
  'in-the-end': {
    title: 'A plain notification again, after all the others',
    why: 'A forged or unreadable request must not change how the next ones are treated.',
    mend: 'Release locks and connections in a "finally". Do not block the sender for what others forge.',
  },
}
