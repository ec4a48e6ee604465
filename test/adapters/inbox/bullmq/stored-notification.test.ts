import { expect, it } from 'vitest'
import { fromStored, toStored } from '../../../../adapters/inbox/bullmq/job.ts'
import type { InboxNotification } from '../../../../src/index.ts'

const plain: InboxNotification = {
  signature: 'a'.repeat(64),
  clientId: 'a-client',
  receivedAt: new Date(1_700_000_000_123),
  rawBody: Buffer.from([0x00, 0xff, 0x7b]),
  subject: null,
  source: 'service',
}
const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

it('is stored with what is known only', () => {
  const stored = {
    signature: 'a'.repeat(64),
    clientId: 'a-client',
    receivedAt: 1_700_000_000_123,
    body: 'AP97',
  }
  expect(toStored(plain)).toStrictEqual(stored)
  const more = { subject: 'payment:1', concurrencyKey: null, source: 'reconcile', traceparent } as const
  expect(toStored({ ...plain, ...more })).toStrictEqual({ ...stored, ...more })
  for (const all of [plain, { ...plain, ...more }]) expect(fromStored(toStored(all))).toStrictEqual(all)
})

it.each([
  null,
  {},
  {
    signature: 5,
    clientId: {},
    receivedAt: '2026-01-01',
    body: [],
    subject: 5,
    concurrencyKey: '',
    source: 'x',
  },
  { receivedAt: 1e300 },
])('is read from any job of another program: %j', (data) => {
  expect(fromStored(data as never)).toStrictEqual({
    signature: '',
    clientId: '',
    receivedAt: new Date(0),
    rawBody: Buffer.alloc(0),
    subject: null,
    source: 'service',
  })
})
