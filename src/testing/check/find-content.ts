import { isSampleObject, type SampleObject, sampleData } from '../sample-data.ts'
import { isAccepted } from './judge.ts'
import type { PlannedRequest, Send } from './planned-request.ts'
import type { Samples } from './samples.ts'

const WRITTEN =
  'It accepts the same JSON without white space and escapes: read it with a parser, instead of searching its text.'

/** Fields that a receiver may miss in other notifications. */
const MISSED = Object.entries({
  ...sampleData('INBOUND_INVOICE_STATUS_UPDATED'),
  ...sampleData('INBOUND_PAYMENT_STATUS_UPDATED'),
  ...{ status: 'Sent', amount: { number: 1250.5, currency: 'USD' } },
  mtlReceiptLinkUrl: 'https://check.example/r/1',
})

/** What to write otherwise, to leave out, or to add, so that the notification is accepted. */
export async function findContent(planned: PlannedRequest, { plan }: Samples, send: Send) {
  for (const [found, body] of toBodies(String(planned.body))) {
    // Without the number that is varied, the id would be, and another payment may be accepted for that.
    const pattern = body.includes('payhook-check-') ? {} : { pattern: /^/ }
    const { status, failure } = await send({ ...planned, ...plan({ body, ...pattern }) })
    if ((failure !== undefined && failure !== 'closed') || status === 429) return undefined
    if (isAccepted(status)) return found
  }
  return undefined
}

function* toBodies(json: string): Generator<readonly [found: string | undefined, body: string]> {
  const envelope = JSON.parse(json)
  const isText = typeof envelope.data === 'string'
  const data: SampleObject = isText ? JSON.parse(envelope.data) : envelope.data
  const withData = (changes: object) => {
    const changed = { ...data, ...changes }
    return JSON.stringify({ ...envelope, data: isText ? JSON.stringify(changed) : changed })
  }
  // First the same content: it may be how the JSON is written, or be rejected as a duplicate.
  const [compact, same] = [JSON.stringify(envelope), withData({})]
  if (compact !== json) yield [WRITTEN, compact]
  yield [undefined, same === json ? `${same} ` : same]
  for (const [name, value] of Object.entries(data)) {
    // The id marks what a check left.
    if (name === 'id') continue
    const members = isSampleObject(value) ? value : {}
    for (const member of Object.keys(members)) {
      const changed = { ...members, [member]: undefined }
      yield [`Without "${member}" of "${name}" in the data, it accepts it.`, withData({ [name]: changed })]
    }
    yield [`Without "${name}" in the data, it accepts it.`, withData({ [name]: undefined })]
  }
  for (const [name, value] of MISSED.filter(([name]) => data[name] == null))
    yield [`With "${name}" in the data, it accepts it.`, withData({ [name]: value })]
}
