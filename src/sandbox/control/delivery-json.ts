import { readHighlights } from '../../events/read-highlights.ts'
import { type DeliveryAttempt, type DeliveryRecord, toBodyBytes } from '../state/delivery.ts'
import type { AttemptSummaryJson, DeliveryDetailJson, DeliverySummaryJson } from './control-json.ts'

const DUPLICATE = /^\{.*"duplicate":\s?true\b/s

export function toDeliverySummary(record: DeliveryRecord): DeliverySummaryJson {
  const { number: _number, memory: _memory, callbackUrl: url, createdAt, body, attempts, ...rest } = record
  return {
    ...rest,
    url,
    createdAt: createdAt.toISOString(),
    signature: body.signature,
    subject: body.subject,
    highlights: readHighlights(body.text),
    size: body.size,
    attempts: attempts.map(toAttemptSummary),
  }
}

export function toDeliveryDetail(record: DeliveryRecord): DeliveryDetailJson {
  const bytes = toBodyBytes(record.body)
  return {
    ...toDeliverySummary(record),
    headers: record.attempts.at(-1)?.headers ?? {
      'Content-Type': record.contentType,
      'Content-Length': String(bytes.length),
      'ACCESS-SIGNATURE': record.body.signature,
    },
    body: record.body.text,
    bodyBase64: bytes.toString('base64'),
    attempts: record.attempts.map((attempt) => ({ ...attempt, ...toAttemptSummary(attempt) })),
  }
}

function toAttemptSummary(attempt: DeliveryAttempt): AttemptSummaryJson {
  const { number, startedAt, durationMs, status, error, responseBody = '' } = attempt
  return {
    ...{ number, durationMs, startedAt: startedAt.toISOString() },
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(DUPLICATE.test(responseBody) && { duplicate: true }),
  }
}
