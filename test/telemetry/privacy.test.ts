import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { instrument } from '../../adapters/telemetry/opentelemetry/opentelemetry.ts'
import { createReceiver } from '../../src/index.ts'
import { createNotification } from '../../src/testing/create-notification.ts'
import { TEST_INBOXES } from '../cli/test-inboxes.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { logger, subscribeToAll } from './fixtures.ts'
import { createTelemetry } from './in-memory-telemetry.ts'

const clientId = 'MARKED-client-id'
const callbackToken = 'MARKED-callback-token'

it.each(['with an inbox', 'without an inbox'])('nothing secret or personal is told, %s', async (how) => {
  const seen: string[] = []
  subscribeToAll((_name, _event, message) => seen.push(show(message)))
  const { providers, spans, collect } = createTelemetry()
  const open = () => TEST_INBOXES.sqlite().open({ maxAttempts: 2, retryDelayMs: 1 })
  const inbox = how === 'with an inbox' ? await open() : undefined
  const receiver = instrument(createReceiver({ clientId, callbackToken, logger, inbox }), providers)
  receiver.onAny(() => {
    throw Object.assign(new Error('MARKED message', { cause: new Error('MARKED cause') }), {
      code: 'MARKED code, which is a sentence',
      name: 'MARKED name!',
      detail: 'MARKED detail',
    })
  })

  const url = `/webhooks?token=${callbackToken}&MARKED=1`
  const data = { id: 48121, message: 'MARKED body', billingContact: { name: 'MARKED Jane Doe' } }
  const notification = createNotification('INBOUND_PAYMENT_STATUS_UPDATED', { clientId, data, url })
  await receiver.receive(notification)
  await receiver.receive(notification)
  await receiver.receive({ ...notification, url: '/webhooks?token=MARKED-wrong' })
  await receiver.receive({ ...notification, headers: { 'access-signature': 'MARKED' } })
  await receiver.receive({ ...notification, headers: { ...notification.headers, 'x-name': 'MARKED' } })
  await receiver.receive({ ...notification, body: '{"type":"MARKED' })
  if (inbox !== undefined) {
    await receiver.start()
    await waitFor(async () => (await inbox.counts()).dead)
    await receiver.stop()
    seen.push(show(await inbox.health()))
  }

  seen.push(...spans().map((span) => show({ ...span })), show(await collect()))
  const text = seen.join('\n')
  expect(text).toContain('payment:48121')
  expect(text).not.toContain('MARKED')
  const [signature = ''] = Object.values(notification.headers).filter((value) => /^[0-9a-f]{64}$/.test(value))
  expect(signature).toHaveLength(64)
  expect(text).not.toContain(signature.slice(0, 12))
})

const show = (value: unknown) => inspect(value, { depth: 12, maxArrayLength: null, maxStringLength: null })
