import { createHmac, randomInt } from 'node:crypto'
import { toEnvelope } from '../create-notification.ts'
import { idField, type Overrides, type SampleObject, sampleData } from '../sample-data.ts'
import type { PlannedRequest } from './planned-request.ts'

/** From 999,000,000 on, so that the data of a receiver shows which notifications were a check. */
const FIRST_ID = 999_000_000
const IDS = 999_999

const PAYMENT = 'INBOUND_PAYMENT_STATUS_UPDATED'

/** A part of a body that may have any number. */
const NUMBER = /(payhook-check-|\b)999\d{6}\b/
const MAX_TRIES = 5_000
/** No byte below 16, whose first digit is a zero that some programs leave out. */
const WITHOUT_ZEROS = /^(?:[1-9a-f].)+$/

export type Samples = ReturnType<typeof createSamples>

/** Builds the notifications of a check. Each has a new id, so that none is a duplicate by accident. */
export function createSamples(options: {
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly kinds: readonly string[]
  readonly url: string
}) {
  const { clientId, kinds } = options
  const { pathname, search, searchParams } = new URL(options.url)
  const kind = kinds.includes(PAYMENT) ? PAYMENT : (kinds[0] ?? PAYMENT)
  const run = randomInt(IDS)
  let count = 0
  const newId = () => FIRST_ID + ((run + count++) % IDS)
  const hasText = 'purposeOfPaymentDescription' in sampleData(kind)

  const data = (of: string, changes: Overrides = {}): SampleObject => {
    const id = newId()
    const marks = 'purposeOfPaymentDescription' in sampleData(of) ? markedPayment(id) : {}
    return sampleData(of, { [idField(of)]: id, ...marks, ...changes })
  }

  const signatureOf = (body: string | Uint8Array, key = clientId) =>
    createHmac('sha256', key).update(body).digest('hex')

  /** @param pattern of the signature. A number in a text is changed until it matches. */
  const signed = (
    body: string | Uint8Array,
    changes: Partial<PlannedRequest> = {},
    pattern = WITHOUT_ZEROS,
  ): PlannedRequest => {
    const isRight = (text: string) => pattern.test(signatureOf(text))
    const chosen = typeof body === 'string' ? vary(body, isRight, newId) : body
    return { body: chosen, signatures: [signatureOf(chosen)], expected: 'accepted', ...changes }
  }

  return {
    ...options,
    /** The callback token in the URL. */
    token: searchParams.get('token') ?? undefined,
    pathname,
    /** Other spellings of the path, which lead to the same receiver in some routers. */
    spellings: [...(pathname === '/' ? [] : [`${pathname}/`, `/${pathname}`, pathname.toUpperCase()]), '//'],
    /** The path and the query of the URL. */
    path: pathname + search,
    /** The kind of the cases that are about no particular kind. */
    kind,
    isPayment: kind.endsWith('_PAYMENT_STATUS_UPDATED'),
    newId,
    body: (of = kind, changes: Overrides = {}, inline = false) => toEnvelope(of, data(of, changes), inline),
    /** A body with a text in its data. */
    bodyWith: (text: string) =>
      toEnvelope(kind, data(kind, { [hasText ? 'purposeOfPaymentDescription' : 'note']: text }), false),
    signatureOf,
    signed,
    /** A signed request for each label. */
    each: (labels: readonly string[], toBody: (label: string) => string | Uint8Array) =>
      labels.map((label) => signed(toBody(label), { label })),
    /** The same for bodies by their labels. */
    named: (bodies: Readonly<Record<string, string | Uint8Array>>, changes: Partial<PlannedRequest> = {}) =>
      Object.entries(bodies).map(([label, body]) => signed(body, { ...changes, label })),
    /** The path and the query with other callback tokens. */
    pathWith(...tokens: readonly (readonly [name: string, token: string])[]): string {
      const query = new URLSearchParams(searchParams)
      query.delete('token')
      for (const [name, token] of tokens) query.append(name, token)
      return `${pathname}?${query}`
    },
  }
}

/** Not Complete, so that a receiver delivers no goods. */
function markedPayment(id: number): SampleObject {
  const originalRequestId = `payhook-check-${id}`
  return { status: 'Sent', originalRequestId, purposeOfPaymentDescription: 'payhook check' }
}

/** The body with another number in it, unless its signature is right. */
function vary(body: string, isRight: (body: string) => boolean, newId: () => number): string {
  for (let tries = 0; tries < MAX_TRIES && NUMBER.test(body) && !isRight(body); tries++)
    body = body.replace(body.includes('payhook-check-') ? /(payhook-check-)\d+/ : NUMBER, `$1${newId()}`)
  return body
}
