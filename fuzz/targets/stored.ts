// What an engine reads back, after whatever another program has written there.

import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { fromStored, type JobData, toStored } from '../../adapters/inbox/bullmq/job.ts'
import { readKind } from '../../src/events/read-envelope.ts'
import { readHighlights } from '../../src/events/read-highlights.ts'
import { isSubject, readSubject } from '../../src/events/subject.ts'
import { fromIdempotencyKey, toIdempotencyKey, toLastingId } from '../../src/inbox/entry-ids.ts'
import { isTraceparent } from '../../src/notification/signed-notification.ts'
import { Input } from '../input.ts'
import { assertUnpolluted } from '../oracles/assert-parsed.ts'
import { fixtureBodies } from '../seeds.ts'

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

export function run(bytes: Buffer): void {
  const input = new Input(bytes)
  const data = parseJob(input.body.toString())
  const notification = fromStored(data)
  const { signature, clientId, receivedAt, rawBody, subject, source, traceparent } = notification
  strictEqual(typeof signature, 'string')
  strictEqual(typeof clientId, 'string')
  ok(!Number.isNaN(receivedAt.getTime()), 'receivedAt is not a time')
  ok(rawBody instanceof Uint8Array)
  ok(subject === null || isSubject(subject))
  ok(source === 'service' || source === 'reconcile')
  ok(traceparent === undefined || isTraceparent(traceparent))

  // What has been read can be stored, and is the same when it is read again.
  const stored = JSON.parse(JSON.stringify(toStored(notification))) as JobData
  deepStrictEqual(fromStored(stored), notification)

  const id = input.body.toString('latin1').slice(0, input.below(255))
  const lastingId = toLastingId({ id, signature, clientId, receivedAt })
  match(lastingId, UUID)
  strictEqual(toLastingId({ id: lastingId, signature, clientId, receivedAt }), lastingId)
  const key = { lastingId, repeats: input.below(255) }
  deepStrictEqual(fromIdempotencyKey(toIdempotencyKey(lastingId, key.repeats)), key)

  readKind(rawBody)
  readHighlights(rawBody)
  ok(isSubject(readSubject(rawBody) ?? 'none'))
  assertUnpolluted()
}

/** Engines store JSON, or null. */
function parseJob(text: string): Partial<JobData> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return { body: Buffer.from(text).toString('base64') }
  }
}

export const seeds = () => [
  Buffer.from(
    JSON.stringify({
      signature: 'ab'.repeat(32),
      clientId: 'payhook-demo-client',
      receivedAt: 1_795_000_000_000,
      body: Buffer.from('{"type":"VBA_TRANSACTION","data":"{}"}').toString('base64'),
      subject: 'payment:48121',
      source: 'reconcile',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }),
  ),
  ...fixtureBodies(),
]
