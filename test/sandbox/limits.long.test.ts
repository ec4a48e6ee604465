import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { APPLICATION } from '../../src/sandbox/state/accounts.ts'
import { Configurations } from '../../src/sandbox/state/configurations.ts'
import { Deliveries } from '../../src/sandbox/state/deliveries.ts'
import { createSignedBody } from '../../src/sandbox/state/delivery.ts'
import { EventLog } from '../../src/sandbox/state/event-log.ts'
import { toFamily } from '../../src/sandbox/state/issued-tokens.ts'
import { createRecordedRequests } from '../../src/sandbox/state/recorded-requests.ts'
import { createRequestIds } from '../../src/sandbox/state/request-ids.ts'
import { Resources } from '../../src/sandbox/state/resources.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { control } from './control/control-calls.ts'
import { openSandbox, openSubscribed } from './open-sandbox.ts'
import { createService } from './service/create-service.ts'
import { subscribe } from './service/http-calls.ts'

const KIND = 'VBA_TRANSACTION'
const callbackUrl = 'http://127.0.0.1:1/'

describe('configurations', () => {
  it('are limited to 10,000 Active ones; deleting one makes room', async () => {
    const { core, app } = createService()
    const { tokens, configurations } = core
    const { accessToken } = tokens.issue(toFamily(APPLICATION), 60)
    for (let count = 1; count < 10_000; count++)
      configurations.create(APPLICATION.accountId, { event: KIND, callbackUrl })
    const create = async () => {
      const answer = await app.request('http://localhost/svc/v1.2/webhooks', {
        method: 'POST',
        headers: {
          host: 'localhost',
          authorization: `Bearer ${accessToken}`,
          'x-request-id': randomUUID(),
          'content-type': 'application/json',
        },
        body: JSON.stringify({ event: KIND, callbackURL: callbackUrl }),
      })
      return [answer.status, ((await answer.json()) as { message?: string }).message]
    }
    expect(await create()).toEqual([200, undefined])
    expect(await create()).toEqual([400, 'There are too many configurations'])
    const [oldest] = configurations.active()
    if (oldest) configurations.deactivate(oldest)
    expect(await create()).toEqual([200, undefined])
    expect((await create())[0]).toBe(400)
  })

  it('are kept if Inactive, the 1,000 that were deleted last', () => {
    const configurations = new Configurations(() => {})
    const all = Array.from({ length: 1_001 }, () => configurations.create('1', { event: KIND, callbackUrl }))
    const [first, second] = all.reverse().map((one) => configurations.deactivate(one).id)
    expect(configurations.find('1', first ?? '')).toBeUndefined()
    expect(configurations.find('1', second ?? '')).toMatchObject({ status: 'Inactive' })
    expect(configurations.find('1', all.at(-1)?.id ?? '')).toMatchObject({ status: 'Inactive' })
    expect(configurations.find('2', second ?? '')).toBeUndefined()
    expect(
      configurations
        .all()
        .map(({ id }) => Number(id))
        .slice(0, 2),
    ).toEqual([2_001, 2_002])
    expect(configurations.create('1', { event: KIND, callbackUrl }).id).toBe('3002')
  })
})

it('request ids are kept up to 100,000', () => {
  const ids = createRequestIds(true)
  for (let id = 0; id < 100_000; id++) ids.take(String(id))
  expect(() => ids.take('0')).toThrow('was used before')
  ids.take('new')
  ids.take('0')
  expect(() => ids.take('2')).toThrow('was used before')
})

describe('memory', () => {
  const MB = 1024 * 1024

  it('of settled deliveries is limited, but that of pending ones is kept', async () => {
    const waiting: (() => void)[] = []
    const { sandbox } = await openSubscribed(KIND, (response, { body }) => {
      if (body.includes('SLOW')) waiting.push(() => response.end())
      else response.end()
    })
    const slow = sandbox.trigger('SLOW', {})
    await waitFor(() => waiting.length === 1)
    for (let count = 0; count < 9; count++)
      await sandbox.trigger(KIND, undefined, { body: `${count} ${'x'.repeat(8 * MB)}` })
    const starts = () => sandbox.deliveries().map(({ body }) => body.slice(0, 2))
    expect(starts()).toEqual(['{"', '2 ', '3 ', '4 ', '5 ', '6 ', '7 ', '8 '])
    waiting[0]?.()
    await slow
    await sandbox.trigger(KIND, undefined, { body: `9 ${'x'.repeat(8 * MB)}` })
    expect(starts()).toEqual(['{"', '3 ', '4 ', '5 ', '6 ', '7 ', '8 ', '9 '])
  })

  it.each([
    ['the headers of responses', KIND, { note: 'x'.repeat(20 * MB) }],
    ['the kind', 'x'.repeat(20 * MB), {}],
  ])('of settled deliveries includes %s', (_what, kind, responseHeaders) => {
    const deliveries = new Deliveries()
    const configuration = new Configurations(() => {}).create('1', { event: KIND, callbackUrl })
    const body = createSignedBody('{}', 'client-id')
    for (let count = 0; count < 5; count++) {
      const order = { kind, configuration, body, contentType: 'text/plain', faults: {} }
      const record = deliveries.add(order, false)
      const startedAt = new Date()
      record.attempts.push({ number: 1, startedAt, durationMs: 1, headers: {}, responseHeaders })
      deliveries.settle(record, 'failed')
    }
    expect(deliveries.list().map(({ number }) => number)).toEqual([2, 3, 4])
  })

  it('of a burst is limited, in which equal bodies count once', async () => {
    const sandbox = await openSandbox()
    await subscribe(sandbox, KIND, callbackUrl)
    await subscribe(sandbox, KIND, callbackUrl)
    const body = 'x'.repeat(900_000)
    const faults = { burst: 10_000, drop: true }
    expect(await sandbox.trigger(KIND, undefined, { body, faults })).toHaveLength(20_000)
    expect(sandbox.deliveries()).toHaveLength(20_000)
    await expect(sandbox.trigger(KIND, { note: body }, { faults })).rejects.toThrow('At most 64 MB')
    const { status, json } = await control(sandbox, 'POST trigger', {
      kind: KIND,
      data: { note: body },
      faults: { burst: 100 },
    })
    expect([status, json.code]).toEqual([400, 'invalid_request'])
    expect(sandbox.deliveries()).toHaveLength(20_000)
    expect((await sandbox.trigger(KIND, { note: body }, { faults: { drop: true } })).length).toBe(2)
  })

  it('that is missing for the payment of an invoice leaves the invoice unchanged', async () => {
    const { sandbox } = await openSubscribed([KIND, 'INBOUND_PAYMENT_STATUS_UPDATED'])
    const body = 'x'.repeat(64 * MB - 1_000)
    void sandbox.trigger(KIND, undefined, { body, faults: { delayMs: 86_400_000 } })
    const invoice = sandbox.createInvoice()
    await expect(invoice.setStatus('Claimed')).rejects.toThrow('At most 64 MB')
    expect(invoice.data.status).toBe('Sent')
  })

  it('of requests, events and resources is limited', () => {
    const requests = createRecordedRequests(() => {})
    const events = new EventLog<{ note: string }>()
    const resources = new Resources()
    const body = 'x'.repeat(16 * 1024)
    for (let index = 0; index < 2_000; index++) {
      requests.add({
        method: 'GET',
        path: `/${index}`,
        query: '',
        headers: {},
        body,
        status: 200,
        at: new Date(),
      })
      events.append('note', body)
      resources.remember('payments', JSON.stringify({ id: index, body }))
    }
    expect(requests.list().at(-1)?.path).toBe('/1999')
    expect(requests.list().length * body.length).toBeLessThan(16 * MB)
    expect(events.read(0, 1)).toBeUndefined()
    expect(events.read(events.end - 900, 900)).toHaveLength(900)
    expect(events.read(events.end - 1_024, 1)).toBeUndefined()
    expect(resources.list('payments').length * body.length).toBeLessThan(16 * MB)
    expect(resources.find('payments', '1999')).toBeDefined()
  })
})
