import { Buffer } from 'node:buffer'
import { type DeliveryRecord, toBodyBytes } from '../delivery/delivery-record.ts'
import { toDeliverySubject } from './delivery-subject.ts'

/** A delivery without bodies, for lists and the stream. */
export function toDeliverySummary(record: DeliveryRecord) {
  const { id, kind, state, callbackUrl, configurationId, createdAt, signature, contentType, faults } = record
  return {
    id,
    kind,
    state,
    url: callbackUrl,
    configurationId,
    createdAt,
    signature,
    contentType,
    subject: toDeliverySubject(record),
    size: record.bytes?.length ?? Buffer.byteLength(record.body),
    faults,
    ...(record.redeliveryOf === undefined ? {} : { redeliveryOf: record.redeliveryOf }),
    attempts: record.attempts.map(({ number, startedAt, durationMs, status, error }) => ({
      number,
      startedAt,
      durationMs,
      status,
      error,
    })),
  }
}

/** A delivery with its exact bytes and the receiver's responses. */
export function toDeliveryDetail(record: DeliveryRecord) {
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
    attempts: record.attempts.map(({ request, ...attempt }) => ({ ...attempt, headers: request.headers })),
  }
}
