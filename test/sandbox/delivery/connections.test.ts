import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Delivery } from '../../../src/sandbox/index.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { listenTcp } from '../../support/listen-tcp.ts'
import { openNotifying, openSubscribed, receiver } from '../open-sandbox.ts'

const KIND = 'VBA_TRANSACTION'

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
    const url = await listenTcp((socket) => socket.on('data', () => socket.write(bytes)))
    const sandbox = await openNotifying(KIND, [url])
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
    const url = await listenTcp((socket) => socket.on('data', () => socket.end()))
    const sandbox = await openNotifying(KIND, [url], { retryDelayMs: 0 })
    const [delivery] = await sandbox.trigger(KIND)
    expect(delivery).toMatchObject({ state: 'failed', attempts: Array(3).fill({ error: 'socket hang up' }) })
    expect(delivery?.attempts[0]).not.toHaveProperty('status')
    expect(delivery?.attempts[0]).not.toHaveProperty('responseBody')
  })
})

describe('a receiver', () => {
  it('that does not respond delays no others', async () => {
    const dead = await receiver(() => {})
    const alive = await receiver()
    const sandbox = await openNotifying(KIND, [dead.url, alive.url])
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
    const sandbox = await openNotifying(KIND, [`${url}/1`, `${url}/2?x=y`])
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
