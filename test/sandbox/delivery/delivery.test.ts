import { describe, expect, it } from 'vitest'
import { waitFor } from '../../contracts/wait-for.ts'
import { listenTcp } from '../../support/listen-tcp.ts'
import {
  fails,
  openSandbox as open,
  openNotifying,
  openSubscribed,
  receiver,
  statusesOf,
} from '../open-sandbox.ts'
import { callWebhooks, requestToken, subscribe } from '../service/http-calls.ts'

describe('a notification', () => {
  it('is the signed envelope with stringified data, and the attempt is recorded', async () => {
    const { url, arrivals } = await receiver((response) =>
      response.writeHead(202, { 'x-kept': ['a', 'b'] }).end('thanks'),
    )
    const sandbox = await open()
    const { id } = await subscribe(sandbox, 'ACCOUNT_STATUS_UPDATED', `${url}?token=t`)
    const deliveries = await sandbox.trigger('ACCOUNT_STATUS_UPDATED', {
      id: 2n ** 63n - 1n,
      verified: false,
    })
    const [arrival] = arrivals
    expect(arrivals).toHaveLength(1)
    expect(arrival).toMatchObject({ method: 'POST', path: '/hooks?token=t', genuine: true })
    expect(arrival?.headers['content-type']).toBe('application/json')
    expect(arrival?.rawHeaders).toContain('ACCESS-SIGNATURE')
    expect(arrival?.body).toBe(
      '{"type":"ACCOUNT_STATUS_UPDATED","data":"{\\"id\\":9223372036854775807,\\"paymentReady\\":true,\\"verified\\":false}"}',
    )
    expect(deliveries).toEqual([
      {
        id: expect.any(String),
        kind: 'ACCOUNT_STATUS_UPDATED',
        configurationId: String(id),
        callbackUrl: `${url}?token=t`,
        body: arrival?.body,
        contentType: 'application/json',
        signature: arrival?.headers['access-signature'],
        createdAt: expect.any(Date),
        state: 'delivered',
        faults: {},
        attempts: [
          {
            number: 1,
            startedAt: expect.any(Date),
            durationMs: expect.any(Number),
            headers: {
              Connection: 'close',
              Host: new URL(url).host,
              'Content-Type': 'application/json',
              'Content-Length': String(Buffer.byteLength(arrival?.body ?? '')),
              'ACCESS-SIGNATURE': arrival?.headers['access-signature'],
            },
            status: 202,
            responseHeaders: expect.objectContaining({ 'x-kept': 'a, b' }),
            responseBody: 'thanks',
          },
        ],
      },
    ])
    expect(sandbox.deliveries()).toEqual(deliveries)
    // All sent headers, with their original names.
    const raw = arrival?.rawHeaders ?? []
    const sent = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]]] : []))
    expect(deliveries[0]?.attempts[0]?.headers).toEqual(Object.fromEntries(sent))
  })

  it('goes to every Active configuration of its kind, and no other', async () => {
    const { url, arrivals } = await receiver()
    const sandbox = await open()
    const token = (await requestToken(sandbox)).access_token
    const one = await subscribe(sandbox, 'VBA_TRANSACTION', `${url}/1`, token)
    await subscribe(sandbox, 'VBA_TRANSACTION', `${url}/2`, token)
    await subscribe(sandbox, 'VBA_ACCOUNT_STATUS_UPDATED', `${url}/3`, token)
    await sandbox.trigger('VBA_TRANSACTION')
    expect(arrivals.map(({ path }) => path).sort()).toEqual(['/hooks/1', '/hooks/2'])
    await callWebhooks(sandbox, { method: 'DELETE', id: one.id, token })
    await sandbox.trigger('VBA_TRANSACTION')
    expect(arrivals.map(({ path }) => path).slice(2)).toEqual(['/hooks/2'])
    expect(await sandbox.trigger('VIRTUAL_CARD_TRANSACTION')).toEqual([])
    expect(await sandbox.trigger('VBA_TRANSACTION', {}, { accountId: '1' })).toEqual([])
    expect(await sandbox.trigger('VBA_TRANSACTION', {}, { accountId: sandbox.accountId })).toHaveLength(1)
  })
})

describe('attempts', () => {
  it('are three', async () => {
    const { sandbox, arrivals } = await openSubscribed('VBA_TRANSACTION', fails, { retryDelayMs: 0 })
    const deliveries = await sandbox.trigger('VBA_TRANSACTION')
    expect(statusesOf(deliveries)).toEqual([['failed', 500, 500, 500]])
    expect(deliveries[0]?.attempts.map(({ number }) => number)).toEqual([1, 2, 3])
    expect(arrivals).toHaveLength(3)
    expect(new Set(arrivals.map(({ body }) => body)).size).toBe(1)
  })

  it.each([302, 304, 308, 410])('fail with status %i', async (status) => {
    const { sandbox, arrivals } = await openSubscribed(
      'VBA_TRANSACTION',
      (response, _arrival) => response.writeHead(status, { location: '/elsewhere' }).end(),
      { retryDelayMs: 0 },
    )
    const deliveries = await sandbox.trigger('VBA_TRANSACTION')
    expect(statusesOf(deliveries)).toEqual([['failed', status, status, status]])
    // Redirects are not followed.
    expect(arrivals.map(({ path }) => path)).toEqual(['/hooks', '/hooks', '/hooks'])
  })

  it('fail without a listener, without HTTP, and with an unusual URL', async () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'
    const { port, close } = await receiver()
    await close()
    const urls = [
      `http://127.0.0.1:${port}/`,
      await listenTcp((socket) => socket.end('SSH-2.0-x\r\n')),
      await listenTcp((socket) => socket.write(switching)),
      'http://%@127.0.0.1:1/',
      'https://user:secret@127.0.0.1:1/',
    ]
    const sandbox = await openNotifying('VBA_TRANSACTION', urls, { retryDelayMs: 0 })
    const deliveries = await sandbox.trigger('VBA_TRANSACTION')
    expect(deliveries.map(({ callbackUrl }) => callbackUrl)).toEqual(urls)
    for (const { state, attempts } of deliveries) {
      expect(state).toBe('failed')
      expect(attempts.map(({ error }) => typeof error)).toEqual(['string', 'string', 'string'])
    }
    expect(deliveries[0]?.attempts[0]?.error).toContain('ECONNREFUSED')
  })

  it('end if the configuration is deleted meanwhile', async () => {
    const answers: (() => void)[] = []
    const { url, arrivals } = await receiver((...each) => answers.push(() => fails(...each)))
    const sandbox = await open()
    const token = (await requestToken(sandbox)).access_token
    const { id } = await subscribe(sandbox, 'VBA_TRANSACTION', url, token)
    const triggered = sandbox.trigger('VBA_TRANSACTION')
    const answer = await waitFor(() => answers.shift())
    await callWebhooks(sandbox, { method: 'DELETE', id, token })
    answer()
    expect(statusesOf(await triggered)).toEqual([['cancelled', 500]])
    expect(arrivals).toHaveLength(1)
  })
})

it('a pending delivery keeps the URL of its configuration at the event', async () => {
  const there = await receiver()
  const answers: ((status: number) => void)[] = []
  const here = await receiver((response) => answers.push((status) => response.writeHead(status).end()))
  const sandbox = await open()
  const token = (await requestToken(sandbox)).access_token
  const { id } = await subscribe(sandbox, 'VBA_TRANSACTION', here.url, token)
  const triggered = sandbox.trigger('VBA_TRANSACTION')
  const answer = await waitFor(() => answers.shift())
  const body = { event: 'VBA_TRANSACTION', callbackURL: there.url }
  expect((await callWebhooks(sandbox, { method: 'PATCH', id, token, body })).status).toBe(200)
  answer(500)
  for (const status of [500, 200]) (await waitFor(() => answers.shift()))(status)
  expect(statusesOf(await triggered)).toEqual([['delivered', 500, 500, 200]])
  expect(there.arrivals).toEqual([])
  await sandbox.trigger('VBA_TRANSACTION')
  expect(there.arrivals).toHaveLength(1)
})

describe('records', () => {
  it('have start times and durations', async () => {
    const { sandbox } = await openSubscribed(
      'VBA_TRANSACTION',
      (response, _arrival, count) =>
        setTimeout(() => response.writeHead(count === 1 ? 500 : 200).end(), count * 30),
      { retryDelayMs: 40 },
    )
    const before = Date.now()
    const [delivery] = await sandbox.trigger('VBA_TRANSACTION')
    const after = Date.now()
    const createdAt = Number(delivery?.createdAt)
    expect(createdAt).toBeGreaterThanOrEqual(before)
    expect(createdAt).toBeLessThanOrEqual(after)
    const [first, second] = delivery?.attempts ?? []
    expect(first?.durationMs).toBeGreaterThanOrEqual(29)
    expect(second?.durationMs).toBeGreaterThanOrEqual(59)
    expect(Number(first?.startedAt)).toBeGreaterThanOrEqual(createdAt)
    // The second starts after the first and the delay, and ends before everything ends.
    expect(Number(second?.startedAt) - Number(first?.startedAt)).toBeGreaterThanOrEqual(29 + 39)
    expect(Number(second?.startedAt) + Number(second?.durationMs)).toBeLessThanOrEqual(after + 2)
  })

  it('contain the credentials of the callback URL', async () => {
    const { url, arrivals } = await receiver()
    const sandbox = await open()
    await subscribe(sandbox, 'VBA_TRANSACTION', url.replace('//', '//ada:se%20cret@'))
    const [delivery] = await sandbox.trigger('VBA_TRANSACTION')
    const authorization = `Basic ${btoa('ada:se cret')}`
    expect(arrivals[0]?.headers.authorization).toBe(authorization)
    expect(delivery?.attempts[0]?.headers).toMatchObject({ Authorization: authorization })
  })
})

it('many deliveries do not block the event loop in a large burst', async () => {
  const { sandbox } = await openSubscribed('VBA_TRANSACTION')
  const faults = { burst: 2_000, duplicate: 9, drop: true }
  let settled = 0
  sandbox.onDelivery(() => settled++)
  let isOver = false
  const triggered = sandbox.trigger('VBA_TRANSACTION', {}, { faults }).finally(() => {
    isOver = true
  })
  const settledByTurn: number[] = []
  while (!isOver) {
    settledByTurn.push(settled)
    await new Promise(setImmediate)
  }
  settledByTurn.push(settled)
  expect(await triggered).toHaveLength(20_000)
  expect(settledByTurn.filter((count) => count === 0).length).toBeGreaterThan(50)
  const steps = settledByTurn.map((count, turn) => count - (settledByTurn[turn - 1] ?? 0))
  expect(Math.max(...steps)).toBeLessThanOrEqual(1_000)
})

it('two sandboxes are independent', async () => {
  const here = await receiver()
  const there = await receiver()
  const [one, two] = [await open(), await open()]
  const token = (await requestToken(one)).access_token
  expect((await callWebhooks(two, { token })).status).toBe(404)
  await subscribe(one, 'VBA_TRANSACTION', here.url, token)
  await subscribe(two, 'VBA_TRANSACTION', there.url)
  one.setFaults({ signature: 'missing' })
  await two.trigger('VBA_TRANSACTION')
  expect(here.arrivals).toEqual([])
  expect(there.arrivals).toMatchObject([{ genuine: true }])
  expect(one.deliveries()).toEqual([])
  two.revokeTokens()
  expect((await callWebhooks(one, { token })).status).toBe(200)
  const id = one.createPayment().id
  expect(two.createPayment().id).toBe(id)
})
