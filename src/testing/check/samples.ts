import { randomInt } from 'node:crypto'
import { sign } from '../../verification/signature.ts'
import { toEnvelope } from '../create-notification.ts'
import { type Overrides, type SampleObject, sampleData } from '../sample-data.ts'
import type { PlannedRequest } from './planned-request.ts'

/** Ids in notifications of a check are 999,000,000 and above, so that a receiver's data shows what was a test. */
const FIRST_ID = 999_000_000
const IDS = 999_999

const PAYMENT = 'INBOUND_PAYMENT_STATUS_UPDATED'

export type Samples = ReturnType<typeof createSamples>

/** Builds the notifications of a check. Each has a new id, so that none is a duplicate by accident. */
export function createSamples(options: {
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly kinds: readonly string[]
  /** The callback token in the URL. */
  readonly token: string | undefined
}) {
  const { clientId, kinds } = options
  const kind = kinds.includes(PAYMENT) ? PAYMENT : (kinds[0] ?? PAYMENT)
  const run = randomInt(IDS)
  let count = 0
  const newId = () => FIRST_ID + ((run + count++) % IDS)
  const hasText = 'purposeOfPaymentDescription' in sampleData(kind)

  const data = (of: string, changes: Overrides = {}): SampleObject => {
    const sample = sampleData(of)
    const id = newId()
    return sampleData(of, {
      [idField(of)]: id,
      // Not Complete, so that a receiver delivers no goods.
      ...('purposeOfPaymentDescription' in sample && {
        status: 'Sent',
        originalRequestId: `payhook-check-${id}`,
        purposeOfPaymentDescription: 'payhook check',
      }),
      ...changes,
    })
  }

  return {
    ...options,
    /** The kind of the cases that are about no particular kind. */
    kind,
    isPayment: kind.endsWith('_PAYMENT_STATUS_UPDATED'),
    newId,
    data,
    body: (of = kind, changes: Overrides = {}, inline = false) => toEnvelope(of, data(of, changes), inline),
    /** A body with a text in its data. */
    bodyWith: (text: string) =>
      toEnvelope(kind, data(kind, { [hasText ? 'purposeOfPaymentDescription' : 'note']: text }), false),
    signatureOf: (body: string | Uint8Array, key = clientId) => sign({ body, clientId: key }),
    /** A correctly signed request, unless it is changed. */
    signed: (body: string | Uint8Array, changes: Partial<PlannedRequest> = {}): PlannedRequest => ({
      body,
      signatures: [sign({ body, clientId })],
      expected: 'accepted',
      ...changes,
    }),
  }
}

/** The name of the field with the id of what a notification is about. */
export function idField(kind: string): string {
  return Object.keys(sampleData(kind)).find((name) => /^id$|Id$/.test(name)) ?? 'id'
}
