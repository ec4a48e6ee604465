import { createHmac, randomInt } from 'node:crypto'
import { toEnvelope } from '../create-notification.ts'
import { idField, type Overrides, sampleData } from '../sample-data.ts'
import type { PlannedRequest } from './planned-request.ts'

/** From 999,000,000 on, so that the data of a receiver shows which notifications were a check. */
const FIRST_ID = 999_000_000
const IDS = 999_999

const PAYMENT = 'INBOUND_PAYMENT_STATUS_UPDATED'

const MARK = { purposeOfPaymentDescription: 'payhook check' }

/** A part of a body that may have any number. */
const NUMBER = /(payhook-check-|\b)999\d{6}\b/
const MAX_TRIES = 5_000
/** No byte below 16, whose first digit is a zero that some programs leave out. */
const WITHOUT_ZEROS = /^(?:[1-9a-f].)+$/

type Body = string | Uint8Array

/** How a request differs from a plain notification. One that says what is signed, or how, is forged. */
export interface Draft extends Partial<PlannedRequest> {
  readonly kind?: string | undefined
  /** Changes to its data. */
  readonly data?: Overrides
  readonly inline?: boolean
  /** A text in its data. */
  readonly text?: string
  /** Writes its JSON otherwise. */
  readonly write?: (json: string) => string
  /** What is signed instead of the body. */
  readonly signs?: string
  /** Changes the body after it was signed. */
  readonly alter?: (signed: string) => Body
  /** Of the right signature. A number in the body is changed until it matches. */
  readonly pattern?: RegExp
}

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
  const parameters = [...searchParams].filter(([name]) => name !== 'token')
  const run = randomInt(IDS)
  let count = 0
  const newId = () => FIRST_ID + ((run + count++) % IDS)
  const hasText = (of: string) => 'purposeOfPaymentDescription' in sampleData(of)

  const toBody = ({ kind: of = kind, data, inline = false, text, write = String }: Draft = {}): string => {
    const id = newId()
    const marks = {
      // Not Complete, so that a receiver delivers no goods.
      ...(hasText(of) && { status: 'Sent', originalRequestId: `payhook-check-${id}`, ...MARK }),
      ...(text !== undefined && { [hasText(of) ? 'purposeOfPaymentDescription' : 'note']: text }),
    }
    return write(toEnvelope(of, sampleData(of, { [idField(of)]: id, ...marks, ...data }), inline))
  }

  const signatureOf = (bytes: Body, key = clientId) => createHmac('sha256', key).update(bytes).digest('hex')

  const plan = (draft: Draft = {}): PlannedRequest => {
    const { body = toBody(draft), pattern = WITHOUT_ZEROS, alter, signs, ...changes } = draft
    const isGenuine = (alter ?? signs ?? draft.key ?? draft.signatures) === undefined
    const isRight = (json: string) => pattern.test(signatureOf(json))
    const chosen = isGenuine && typeof body === 'string' ? vary(body, isRight, newId) : body
    return {
      signatures: [signatureOf(signs ?? chosen, draft.key)],
      expected: isGenuine ? 'accepted' : 'rejected',
      ...changes,
      body: alter ? alter(String(chosen)) : chosen,
    }
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
    toBody,
    signatureOf,
    plan,
    /** The path and the query with other callback tokens. */
    pathWith: (...tokens: [name: string, token: string][]) =>
      `${pathname}?${new URLSearchParams([...parameters, ...tokens])}`,
  }
}

/** A request for each label. */
export function each(labels: readonly string[], toDraft: (label: string) => Draft): Draft[] {
  return labels.map((label) => ({ label, ...toDraft(label) }))
}

/** The body with another number in it, unless its signature is right. */
function vary(body: string, isRight: (body: string) => boolean, newId: () => number): string {
  for (let tries = 0; tries < MAX_TRIES && NUMBER.test(body) && !isRight(body); tries++)
    body = body.replace(body.includes('payhook-check-') ? /(payhook-check-)\d+/ : NUMBER, `$1${newId()}`)
  return body
}
