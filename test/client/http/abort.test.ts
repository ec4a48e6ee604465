import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { TokenStore } from '../../../src/client/index.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { hang, noting, respond, type Step, stallInBody } from '../exchange.ts'
import { clientOf, hold, openClient, openService, REDIRECT_URI, userClientOf } from '../open-client.ts'
import { openStore } from '../tokens/open-store.ts'

const reason = { the: 'reason' }
const HELLO = 'GET /svc/v1.0/hello'
const TOKEN = 'POST /oauth/token'

describe('a signal that is aborted', () => {
  it('before the call: nothing is sent, and the token stays', async () => {
    const service = await openService({ rotatesRefreshTokens: true })
    const { sets, tokenStore } = openStore()
    const client = await userClientOf(service, { tokenStore })
    const signal = AbortSignal.abort(reason)
    const wanted = { event: 'VBA_TRANSACTION', callbackUrl: 'https://a.example/' }
    const code = service.grants.consent(REDIRECT_URI)
    for (const call of [
      () => client.token({ signal }),
      () => client.refresh({ signal }),
      () => client.hello({ signal }),
      () => client.exchangeCode({ code, redirectUri: REDIRECT_URI }, { signal }),
      () => client.request({ method: 'GET', path: '/x', signal }),
      () => client.webhooks.list({ signal }),
      () => client.webhooks.get('1', { signal }),
      () => client.webhooks.create(wanted, { signal }),
      () => client.webhooks.update('1', wanted, { signal }),
      () => client.webhooks.delete('1', { signal }),
      () => client.webhooks.sync([wanted], { signal }),
    ]) {
      await expect(call(), String(call)).rejects.toBe(reason)
    }
    // Whatever they had begun would have had its turn before this.
    await client.exchangeCode({ code, redirectUri: REDIRECT_URI })
    expect(service.grantTypes).toEqual(['authorization_code', 'authorization_code'])
    expect(service.calls).toEqual([])
    expect(sets).toHaveLength(2)
  })

  it('may be null, as for fetch', async () => {
    const { client } = await openClient()
    const signal = null as never
    await expect(client.hello({ signal })).resolves.toEqual({ hello: 'world' })
    await expect(client.webhooks.list({ signal })).resolves.toEqual([])
  })

  it('during a grant: the other calls that wait for it get their token', async () => {
    const { service, client } = await openClient()
    const openGate = hold(service, TOKEN)
    const controller = new AbortController()
    const first = client.hello({ signal: controller.signal })
    const second = client.hello()
    const third = client.token({ signal: new AbortController().signal })
    await service.arrived(TOKEN)
    controller.abort(reason)
    await expect(first).rejects.toBe(reason)
    openGate()
    await expect(second).resolves.toEqual({ hello: 'world' })
    expect((await third).accessToken).toBe(service.grants.accessTokens[0])
    expect(service.grantTypes).toEqual(['client_credentials'])
    expect(service.calls).toEqual([HELLO])
  })

  it('during a refresh that nobody else waits for: the new refresh token is not lost', async () => {
    const service = await openService({ rotatesRefreshTokens: true })
    const { held, sets, tokenStore } = openStore()
    const client = clientOf(service, { tokenStore })
    await client.token()
    const openGate = hold(service, TOKEN)
    const controller = new AbortController()
    const refresh = client.refresh({ signal: controller.signal })
    await service.arrived(TOKEN, 2)
    controller.abort(reason)
    await expect(refresh).rejects.toBe(reason)
    openGate()
    await waitFor(() => sets.length === 2)
    expect(held.token?.refreshToken).toBe(service.grants.refreshTokens[1])
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(service.requests.at(-1)?.headers.authorization).toBe(`Bearer ${service.grants.accessTokens[1]}`)
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
  })

  it.each<[string, Step, unknown]>([
    ['before the response', hang, reason],
    ['in the body', stallInBody, reason],
    ['with a TimeoutError, as of AbortSignal.timeout()', hang, new DOMException('late', 'TimeoutError')],
  ])('during the request, %s: the connection is closed', async (_name, step, reason) => {
    const { service, client } = await openClient()
    await client.token()
    const closed = Promise.withResolvers<void>()
    service.on(HELLO, (exchange) => {
      exchange.response.on('close', () => closed.resolve())
      return step(exchange)
    })
    const controller = new AbortController()
    const call = client.hello({ signal: controller.signal })
    await service.arrived(HELLO)
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    await closed.promise
    expect(service.calls).toEqual([HELLO])
  })

  it('during the wait before the next attempt', async () => {
    const { service, client } = await openClient({}, { retryDelayMs: 30_000, maxRetryDelayMs: 30_000 })
    await client.token()
    const responded = Promise.withResolvers<void>()
    service.on(HELLO, (exchange) => {
      exchange.response.on('finish', () => responded.resolve())
      return respond(503)(exchange)
    })
    const controller = new AbortController()
    const call = client.hello({ signal: controller.signal })
    await responded.promise
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(service.calls).toEqual([HELLO])
  })

  it('while the token store is read', async () => {
    const service = await openService()
    const asked = Promise.withResolvers<void>()
    const tokenStore: TokenStore = {
      get: () => {
        asked.resolve()
        return new Promise<never>(() => {})
      },
      set: () => {},
    }
    const controller = new AbortController()
    const call = clientOf(service, { tokenStore }).hello({ signal: controller.signal })
    await asked.promise
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
  })

  it('between the steps of a sync: nothing more is sent', async () => {
    const { service, client } = await openClient()
    const controller = new AbortController()
    service.on(
      'POST /svc/v1.2/webhooks',
      noting(() => controller.abort(reason), hang),
    )
    const desired = ['a', 'b', 'c'].map((name) => ({
      event: 'VBA_TRANSACTION',
      callbackUrl: `https://${name}.example/`,
    }))
    const sync = client.webhooks.sync(desired, { signal: controller.signal })
    await expect(sync).rejects.toBe(reason)
    expect(service.calls).toEqual(['GET /svc/v1.2/webhooks', 'POST /svc/v1.2/webhooks'])
  })
})

describe('a signal', () => {
  it('has no listeners left when a call ends', async () => {
    const { service, client } = await openClient()
    const { signal } = new AbortController()
    for (let round = 0; round < 5; round++) {
      service.on(HELLO, respond(503))
      await client.hello({ signal })
      await client.webhooks.list({ signal })
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it.each(['signal', 5, {}])('that is not an AbortSignal is a TypeError: %j', async (signal) => {
    const { client } = await openClient()
    await expect((async () => client.hello({ signal } as never))()).rejects.toThrow(TypeError)
  })
})
