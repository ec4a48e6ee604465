import { Buffer } from 'node:buffer'
import type { DeliveryAttempt } from '../delivery/delivery.ts'
import { type DeliveryRecord, toBodyBytes } from '../delivery/delivery-record.ts'
import { toDeliverySubject } from './delivery-subject.ts'
import type { AttemptSummaryJson, DeliveryDetailJson, DeliverySummaryJson } from './wire.ts'

/** A delivery without bodies, for lists and the stream. */
export function toDeliverySummary(record: DeliveryRecord): DeliverySummaryJson {
  const { id, kind, state, callbackUrl, configurationId, createdAt, signature, contentType, faults } = record
  return {
    id,
    kind,
    state,
    url: callbackUrl,
    configurationId,
    createdAt: createdAt.toISOString(),
    signature,
    contentType,
    subject: toDeliverySubject(record),
    size: record.bytes?.length ?? Buffer.byteLength(record.body),
    faults,
    ...(record.redeliveryOf === undefined ? {} : { redeliveryOf: record.redeliveryOf }),
    attempts: record.attempts.map(toAttemptSummary),
  }
}

/** A delivery with its exact bytes and the receiver's responses. */
export function toDeliveryDetail(record: DeliveryRecord): DeliveryDetailJson {
  const bytes = toBodyBytes(record)
  return {
    ...toDeliverySummary(record),
    headers: record.attempts.at(-1)?.request.headers ?? {
      'Content-Type': record.contentType,
      'Content-Length': String(bytes.length),
      'ACCESS-SIGNATURE': record.signature,
    },
    body: record.body,
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
  responseBody: _body,
  startedAt,
  ...attempt
}: DeliveryAttempt): AttemptSummaryJson {
  return { ...attempt, startedAt: startedAt.toISOString() }
}
