import { openEnvelope, readData } from '../../events/read-envelope.ts'
import { isJsonObject } from '../../json/json-value.ts'
import type { DeliveryAttempt } from '../delivery/delivery.ts'
import { type DeliveryRecord, type SignedBody, toBodyBytes } from '../delivery/delivery-record.ts'
import type { AttemptSummaryJson, DeliveryDetailJson, DeliverySubject, DeliverySummaryJson } from './wire.ts'

const MAX_PARSED_LENGTH = 64 * 1_024
const MAX_LENGTH = 100
const DUPLICATE = /^\{.*"duplicate":\s?true\b/s

const subjects = new WeakMap<SignedBody, DeliverySubject>()

/** A delivery without bodies, for lists and the stream. */
export function toDeliverySummary(record: DeliveryRecord): DeliverySummaryJson {
  const { number: _number, memory: _memory, callbackUrl: url, createdAt, body, attempts, ...rest } = record
  return {
    ...rest,
    url,
    createdAt: createdAt.toISOString(),
    signature: body.signature,
    subject: toDeliverySubject(body),
    size: body.size,
    attempts: attempts.map(toAttemptSummary),
  }
}

/** A delivery with its exact bytes and the receiver's responses. */
export function toDeliveryDetail(record: DeliveryRecord): DeliveryDetailJson {
  const bytes = toBodyBytes(record.body)
  return {
    ...toDeliverySummary(record),
    headers: record.attempts.at(-1)?.request.headers ?? {
      'Content-Type': record.contentType,
      'Content-Length': String(bytes.length),
      'ACCESS-SIGNATURE': record.body.signature,
    },
    body: record.body.text,
    bodyBase64: bytes.toString('base64'),
    attempts: record.attempts.map(({ request, startedAt, ...attempt }) => ({
      ...attempt,
      startedAt: startedAt.toISOString(),
      headers: request.headers,
    })),
  }
}

function toAttemptSummary({
  request: _request,
  responseHeaders: _headers,
  responseBody = '',
  startedAt,
  ...attempt
}: DeliveryAttempt): AttemptSummaryJson {
  const isDuplicate = DUPLICATE.test(responseBody)
  return { ...attempt, startedAt: startedAt.toISOString(), ...(isDuplicate && { duplicate: true }) }
}

/** The id and the status in the data of a notification, so that a list needs no bodies. */
function toDeliverySubject(body: SignedBody): DeliverySubject {
  const known = subjects.get(body)
  if (known) return known
  const subject = readSubject(body.text)
  subjects.set(body, subject)
  return subject
}

function readSubject(body: string): DeliverySubject {
  if (body.length > MAX_PARSED_LENGTH) return {}
  try {
    const { exact } = readData(openEnvelope(body))
    if (!isJsonObject(exact)) return {}
    const { id, status } = exact
    return {
      ...((typeof id === 'string' || typeof id === 'number') && { id: String(id).slice(0, MAX_LENGTH) }),
      ...(typeof status === 'string' && { status: status.slice(0, MAX_LENGTH) }),
    }
  } catch {
    return {}
  }
}
