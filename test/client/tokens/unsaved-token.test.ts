import { describe, expect, it } from 'vitest'
import type { TokenStore } from '../../../src/client/index.ts'
import { clientOf, consent, failureOf, openService, userClientOf } from '../open-client.ts'
import { openStore } from './open-store.ts'

/** A user's client whose token was just renewed, which its store did not take. */
async function openUnsaved() {
  const service = await openService({ rotatesRefreshTokens: true })
  const { held, tokenStore } = openStore()
  const time = { ms: Date.UTC(2026, 0, 1) }
  const client = await userClientOf(service, { tokenStore, now: () => time.ms })
  service.grants.setAccessTokens('expired')
  held.full = true
  expect(await failureOf(client.hello())).toMatchObject({ code: 'token_store_failed' })
  const newest = service.grants.accessTokens[1] ?? ''
  expect(held.token?.accessToken).toBe(service.grants.accessTokens[0])
  return { service, held, tokenStore, time, client, newest }
}

describe('a token that the store did not take', () => {
  it.each(['token', 'hello', 'list'] as const)('is offered again by the next %s', async (call) => {
    const { service, held, client, newest } = await openUnsaved()
    held.full = false
    await (call === 'list' ? client.webhooks.list() : client[call]())
    expect(held.token).toMatchObject({ accessToken: newest, refreshToken: service.grants.refreshTokens[1] })
    expect(service.grantTypes).toEqual(['authorization_code', 'refresh_token'])
  })

  it('is used while the store is still full', async () => {
    const { service, held, client, newest } = await openUnsaved()
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(service.requests.at(-1)?.headers.authorization).toBe(`Bearer ${newest}`)
    held.full = false
    await client.hello()
    expect(held.token?.accessToken).toBe(newest)
    expect(service.grantTypes).toEqual(['authorization_code', 'refresh_token'])
  })

  it('is used at once if it was renewed ahead of expiry', async () => {
    const service = await openService({ rotatesRefreshTokens: true })
    const { held, tokenStore } = openStore()
    const time = { ms: Date.UTC(2026, 0, 1) }
    const client = await userClientOf(service, { tokenStore, now: () => time.ms })
    time.ms = Number(held.token?.expiresAt) - 1_000
    held.full = true
    await client.hello()
    expect(service.requests.at(-1)?.headers.authorization).toBe(`Bearer ${service.grants.accessTokens[1]}`)
  })

  it('is the one that the next refresh uses', async () => {
    const { service, held, client } = await openUnsaved()
    expect(await failureOf(client.refresh())).toMatchObject({ code: 'token_store_failed' })
    held.full = false
    const { accessToken } = await client.refresh()
    expect(service.tokenRequests.slice(1).map(({ query }) => query.get('refresh_token'))).toEqual(
      service.grants.refreshTokens.slice(0, 3),
    )
    expect(service.grants.spentRefreshTokens).toEqual([])
    expect(held.token?.accessToken).toBe(accessToken)
  })

  it.each([true, false])('is used if the clock was set back, with the store still full: %s', async (full) => {
    const { service, held, time, client, newest } = await openUnsaved()
    time.ms -= 3_600_000
    held.full = full
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(service.requests.at(-1)?.headers.authorization).toBe(`Bearer ${newest}`)
    held.full = false
    await client.refresh()
    expect(service.grants.spentRefreshTokens).toEqual([])
    expect(held.token?.accessToken).toBe(service.grants.accessTokens[2])
  })

  it('yields to a token that another process wrote', async () => {
    const { service, held, client } = await openUnsaved()
    held.full = false
    const elsewhere = openStore()
    await userClientOf(service, { tokenStore: elsewhere.tokenStore })
    held.token = elsewhere.held.token
    expect(await client.hello()).toEqual({ hello: 'world' })
    const { accessToken } = await client.token()
    expect(service.requests.at(-1)?.headers.authorization).toBe(`Bearer ${accessToken}`)
    expect([accessToken, held.token?.accessToken]).toEqual(Array(2).fill(service.grants.accessTokens[2]))
  })

  it('is lost with the process, and the next one requires consent', async () => {
    const { service, held, tokenStore } = await openUnsaved()
    held.full = false
    const next = clientOf(service, { tokenStore })
    expect(await failureOf(next.hello())).toMatchObject({ code: 'consent_required' })
    expect(service.grantTypes).not.toContain('client_credentials')
  })

  it('is forgotten once another token has replaced it', async () => {
    const { service, held, client } = await openUnsaved()
    const elsewhere = openStore()
    await userClientOf(service, { tokenStore: elsewhere.tokenStore })
    held.token = elsewhere.held.token
    expect(await failureOf(client.refresh())).toMatchObject({ code: 'token_store_failed' })
    held.full = false
    expect(await client.refresh()).toMatchObject({ grant: 'authorization_code' })
    expect(service.grants.spentRefreshTokens).toEqual([])
  })

  it('is not forgotten after an overtaken read of the store', async () => {
    const service = await openService({ rotatesRefreshTokens: true })
    const { held, tokenStore } = openStore()
    const gate = Promise.withResolvers<void>()
    let slow = false
    const get = async () => {
      const responded = held.token
      if (slow) await gate.promise
      return responded
    }
    const client = await userClientOf(service, { tokenStore: { ...tokenStore, get } })
    slow = true
    const overtaken = client.hello()
    slow = false
    await client.refresh()
    held.full = true
    await failureOf(client.refresh())
    held.full = false
    gate.resolve()
    await expect(overtaken).resolves.toEqual({ hello: 'world' })
    await client.refresh()
    expect(service.grants.spentRefreshTokens).toEqual([])
  })

  it('of a user who consented is used even if the store could not be read', async () => {
    const service = await openService()
    const { held, tokenStore } = openStore()
    let broken = false
    const get = () => {
      if (broken) throw new Error('broken')
      return held.token
    }
    const client = await userClientOf(service, { tokenStore: { ...tokenStore, get } })
    broken = true
    held.full = true
    await failureOf(consent(service, client, 900_200n))
    broken = false
    expect((await client.token()).accountId).toBe('900200')
  })

  it('keeps the valid token if the store cannot be locked', async () => {
    const service = await openService()
    const { tokenStore } = openStore()
    const time = { ms: Date.UTC(2026, 0, 1) }
    let locks = 0
    let broken = false
    const lock: TokenStore['lock'] = async (_key, work) => {
      locks++
      if (broken) throw new Error('broken')
      return await work()
    }
    const client = await userClientOf(service, { tokenStore: { ...tokenStore, lock }, now: () => time.ms })
    time.ms += 3_550_000
    broken = true
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(locks).toBe(2)
    time.ms += 60_000
    expect(await failureOf(client.hello())).toMatchObject({ code: 'token_store_failed' })
  })

  it('yields to another token if the store was being read meanwhile', async () => {
    const service = await openService({ rotatesRefreshTokens: true })
    const { held, tokenStore } = openStore()
    const gate = Promise.withResolvers<void>()
    let slow = false
    const get = async () => {
      if (slow) await gate.promise
      return held.token
    }
    const client = await userClientOf(service, { tokenStore: { ...tokenStore, get } })
    let reading: Promise<unknown> | undefined
    service.on('POST /oauth/token', ({ apply, send }) => {
      const responded = apply()
      slow = true
      reading = client.hello()
      slow = false
      held.full = true
      send(responded)
    })
    await failureOf(client.refresh())
    const elsewhere = openStore()
    const other = await userClientOf(service, { tokenStore: elsewhere.tokenStore })
    held.token = elsewhere.held.token
    gate.resolve()
    await expect(reading).resolves.toEqual({ hello: 'world' })
    expect((await client.token()).accessToken).toBe((await other.token()).accessToken)
  })

  it('that never expires is used while the store cannot be locked', async () => {
    const service = await openService({ token: { expires_in: undefined } })
    const { held, tokenStore } = openStore()
    let broken = false
    const lock: TokenStore['lock'] = async (_key, work) => {
      if (broken) throw new Error('broken')
      return await work()
    }
    const client = await userClientOf(service, { tokenStore: { ...tokenStore, lock } })
    held.full = true
    await failureOf(client.refresh())
    broken = true
    expect(await client.hello()).toEqual({ hello: 'world' })
  })
})
