import * as diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Delivery } from '../../src/sandbox/index.ts'
import { listen } from '../contracts/listen.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { fails, openNotifying, openSandbox, openSubscribed, receiver, statusesOf } from './open-sandbox.ts'
import { requestToken, subscribe } from './service/http-calls.ts'

const KIND = 'VBA_TRANSACTION'

describe('close', () => {
  it.each([
    ['is held for a neighbor', { reorder: true }],
    ['would be held after a delay', { reorder: true, delayMs: 100_000 }],
  ])('cancels a delivery that %s', async (_what, faults) => {
    const { sandbox, arrivals } = await openSubscribed(KIND)
    const held = sandbox.trigger(KIND, {}, { faults })
    await sandbox.close()
    expect(statusesOf(await held)).toEqual([['cancelled']])
    expect(arrivals).toEqual([])
  })

  it('cancels at once deliveries that wait for a delay, a retry or a slot', async () => {
    const dead = await receiver(() => {})
    const failing = await receiver(fails)
    const sandbox = await openNotifying(KIND, [dead.url, failing.url], { retryDelayMs: 100_000 })
    const delayed = sandbox.trigger(KIND, {}, { faults: { delayMs: 100_000 } })
    const burst = sandbox.trigger(KIND, {}, { faults: { burst: 60 } })
    await waitFor(() => dead.arrivals.length === 50 && failing.arrivals.length === 60)
    await sandbox.close()
    expect(statusesOf(await delayed)).toEqual([['cancelled'], ['cancelled']])
    const [aborted, , ...others] = await burst
    expect(aborted).toMatchObject({
      state: 'cancelled',
      attempts: [{ number: 1, error: 'the sandbox was closed' }],
    })
    for (const { state } of others) expect(state).toBe('cancelled')
    expect(dead.arrivals).toHaveLength(50)
  })

  it('sends no more of a burst', async () => {
    const { sandbox } = await openSubscribed(KIND)
    const burst = sandbox.trigger(KIND, {}, { faults: { burst: 10_000 } })
    await sandbox.close()
    expect((await burst).length).toBeLessThan(1_000)
  })

  it('can be called twice, also by await using', async () => {
    const sandbox = await openSandbox()
    const [first, second] = [sandbox.close(), sandbox.close()]
    expect(second).toBe(first)
    await first
    await sandbox[Symbol.asyncDispose]()
    await sandbox.settled()
    await expect(fetch(sandbox.url)).rejects.toThrow()

    let url: string
    {
      await using disposed = await openSandbox()
      url = disposed.url
      expect((await requestToken(disposed)).token_type).toBe('bearer')
    }
    await expect(fetch(url)).rejects.toThrow()
  })

  it("closes its clients' connections, idle and busy", async () => {
    const sandbox = await openSandbox()
    const port = Number(new URL(sandbox.url).port)
    const [idle, busy] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    // A reset connection emits an error first, with which once() would reject.
    const ends = [idle, busy].map(
      (socket) => new Promise((end) => socket.on('error', () => {}).on('close', end)),
    )
    await Promise.all([once(idle, 'connect'), once(busy, 'connect')])
    idle.write('GET /svc/v1.0/hello HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(idle, 'data')
    busy.write('POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ngrant')
    await sandbox.close()
    await Promise.all(ends)
  })

  it('closes its connections to receivers, finished and busy', async () => {
    const sockets = new Set<unknown>()
    const server = await listen((request, response) => {
      sockets.add(request.socket)
      request.socket.on('close', () => sockets.delete(request.socket))
      request.resume().on('end', () => request.url !== '/busy' && response.end())
    })
    const sandbox = await openSandbox()
    const url = `http://127.0.0.1:${server.port}`
    await subscribe(sandbox, KIND, `${url}/idle`)
    await subscribe(sandbox, 'VBA_ACCOUNT_STATUS_UPDATED', `${url}/busy`)
    const clients: Socket[] = []
    const watch = (message: unknown) => clients.push((message as { socket: Socket }).socket)
    diagnostics.subscribe('net.client.socket', watch)
    onTestFinished(() => void diagnostics.unsubscribe('net.client.socket', watch))
    const busy = sandbox.trigger('VBA_ACCOUNT_STATUS_UPDATED', {}, { faults: { burst: 4 } })
    await waitFor(() => sockets.size === 4)
    await sandbox.trigger(KIND, {}, { faults: { burst: 3 } })
    expect(clients.length).toBeGreaterThan(4)
    await sandbox.close()
    await waitFor(() => clients.every(({ destroyed }) => destroyed))
    await waitFor(() => sockets.size === 0)
    for (const { state } of await busy) expect(state).toBe('cancelled')
    await server.close()
  })

  it('cancels later triggers without notifying listeners', async () => {
    const { sandbox, arrivals } = await openSubscribed(KIND)
    const heard: Delivery[] = []
    sandbox.onDelivery((delivery) => heard.push(delivery))
    await sandbox.close()
    for (const faults of [{}, { drop: true }, { reorder: true }, { delayMs: 100_000 }])
      expect(statusesOf(await sandbox.trigger(KIND, {}, { faults }))).toEqual([['cancelled']])
    expect(await sandbox.createPayment().walk(undefined, { wait: true })).toEqual([])
    expect(sandbox.deliveries({ state: 'cancelled' })).toHaveLength(4)
    expect(heard).toEqual([])
    expect(arrivals).toEqual([])
  })

  it('ends even if a listener triggers another event on every call', async () => {
    const { sandbox, arrivals } = await openSubscribed(KIND)
    const later: Promise<Delivery[]>[] = []
    let told = 0
    sandbox.onDelivery(() => {
      // Bounded, as an endless loop would block the time limit of the test.
      if (++told < 10_000) later.push(sandbox.trigger(KIND))
    })
    const first = sandbox.trigger(KIND)
    await waitFor(() => arrivals.length > 2)
    await sandbox.close()
    expect(told).toBeLessThan(10_000)
    await first
    const states = (await Promise.all(later)).flat().map(({ state }) => state)
    expect(states.at(-1)).toBe('cancelled')
  })
})
