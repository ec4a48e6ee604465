import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Delivery } from '../../../src/sandbox/index.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { openSandbox, openSubscribed, receiver } from '../open-sandbox.ts'
import { subscribe } from '../service/http-calls.ts'

const KIND = 'VBA_TRANSACTION'

/** A plain TCP server. */
async function tcp(talk: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    talk(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

describe('a connection', () => {
  it('is new for every attempt, so that no attempt fails because a receiver has closed an old one', async () => {
    const { sandbox, arrivals } = await openSubscribed(KIND, (response) => response.writeHead(500).end(), {
      retryDelayMs: 0,
    })
    await sandbox.trigger(KIND)
    expect(arrivals.map(({ headers }) => headers.connection)).toEqual(['close', 'close', 'close'])
  })

  it('is cut once per attempt by the truncate fault', async () => {
    let opened = 0
    const heard: string[] = []
    const url = await tcp((socket) => {
      opened++
      socket.on('data', (chunk) => {
        heard.push(String(chunk))
        if (opened === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      })
    })
    const sandbox = await openSandbox({ retryDelayMs: 0 })
    await subscribe(sandbox, KIND, url)
    await sandbox.trigger(KIND)
    const [cut] = await sandbox.trigger(KIND, {}, { faults: { truncate: true } })
    expect(cut?.attempts.map(({ error }) => error)).toEqual(
      Array.from({ length: 3 }, () => 'the connection was cut by the "truncate" fault'),
    )
    const posts = () => heard.join('').split('POST ').length - 1
    await waitFor(() => posts() >= 4)
    expect([posts(), opened]).toEqual([4, 4])
  })
})

describe('a response', () => {
  it('longer than 4 KiB is truncated, and its connection closed', async () => {
    const closed: unknown[] = []
    const { sandbox } = await openSubscribed(KIND, (response) => {
      response.on('close', () => closed.push(response.writableFinished))
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(1_000)));
        response.once('drain', more)
      }
      more()
    })
    const [delivery] = await sandbox.trigger(KIND)
    expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] })
    expect(delivery?.attempts[0]?.responseBody).toBe('x'.repeat(4_096))
    await waitFor(() => closed.length === 1)
    expect(closed).toEqual([false])
  })

  it('of 4 KiB is complete', async () => {
    const { sandbox } = await openSubscribed(KIND, (response) => response.end('y'.repeat(4_096)))
    const [delivery] = await sandbox.trigger(KIND)
    expect(delivery?.attempts[0]?.responseBody).toBe('y'.repeat(4_096))
  })

  it.each([
    ['a 204 with a body', 'HTTP/1.1 204 No Content\r\n\r\nstray', ''],
    ['a 204 with a length', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nstray', ''],
    ['a body longer than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokstray', 'ok'],
  ])('that is %s is delivered', async (_what, bytes, responseBody) => {
    const url = await tcp((socket) => socket.on('data', () => socket.write(bytes)))
    const sandbox = await openSandbox({ retryDelayMs: 0 })
    await subscribe(sandbox, KIND, url)
    const [delivery] = await sandbox.trigger(KIND)
    expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ responseBody }] })
    expect(delivery?.attempts[0]).not.toHaveProperty('error')
  })

  it.each<[string, (response: ServerResponse) => void, number, RegExp]>([
    [
      'broke off',
      (response) => setTimeout(() => response.destroy(), 20),
      5_000,
      /^the connection was closed in the middle of the response$/,
    ],
    ['did not end in time', () => {}, 2_000, /^no complete response within 2000 ms$/],
  ])('that %s is recorded as far as it arrived', async (_what, end, attemptTimeoutMs, message) => {
    const { sandbox } = await openSubscribed(
      KIND,
      (response) => {
        response.writeHead(200, { 'content-length': 100, 'x-kept': 'yes' }).write('half of it')
        end(response)
      },
      { attemptTimeoutMs },
    )
    const attempted = new Promise<Delivery>((resolve) => sandbox.onDelivery(resolve))
    const triggered = sandbox.trigger(KIND)
    const { state, attempts } = await attempted
    expect(state).toBe('pending')
    expect(attempts).toMatchObject([
      {
        status: 200,
        responseHeaders: { 'x-kept': 'yes' },
        responseBody: 'half of it',
        error: expect.stringMatching(message),
      },
    ])
    await sandbox.close()
    await triggered
  })

  it('that never arrives has neither status nor body', async () => {
    const url = await tcp((socket) => socket.on('data', () => socket.end()))
    const sandbox = await openSandbox({ retryDelayMs: 0 })
    await subscribe(sandbox, KIND, url)
    const [delivery] = await sandbox.trigger(KIND)
    expect(delivery?.attempts[0]).toMatchObject({ error: 'socket hang up' })
    expect(delivery?.attempts[0]).not.toHaveProperty('status')
    expect(delivery?.attempts[0]).not.toHaveProperty('responseBody')
  })
})

describe('a receiver', () => {
  it('that does not respond delays no others', async () => {
    const dead = await receiver(() => {})
    const alive = await receiver()
    const sandbox = await openSandbox({ attemptTimeoutMs: 60_000 })
    await subscribe(sandbox, KIND, dead.url)
    await subscribe(sandbox, KIND, alive.url)
    const triggered = sandbox.trigger(KIND, {}, { faults: { burst: 60 } })
    await waitFor(() => sandbox.deliveries({ state: 'delivered' }).length === 60)
    expect(alive.arrivals).toHaveLength(60)
    await waitFor(() => dead.arrivals.length >= 50)
    expect(dead.arrivals).toHaveLength(50)
    await sandbox.close()
    await triggered
  })

  it('gets 50 requests at once by default, over all its URLs', async () => {
    const waiting: ServerResponse[] = []
    const { url, arrivals } = await receiver((response) => waiting.push(response))
    const sandbox = await openSandbox()
    await subscribe(sandbox, KIND, `${url}/1`)
    await subscribe(sandbox, KIND, `${url}/2?x=y`)
    const triggered = sandbox.trigger(KIND, {}, { faults: { burst: 60 } })
    await waitFor(() => arrivals.length >= 50)
    // A 51st request would have arrived with the others. Each response is followed by exactly one more.
    waiting.shift()?.end()
    await waitFor(() => arrivals.length > 50)
    expect(arrivals).toHaveLength(51)
    for (let done = 1; done < 120; done++) (await waitFor(() => waiting.shift())).end()
    expect(await triggered).toHaveLength(120)
  })
})
