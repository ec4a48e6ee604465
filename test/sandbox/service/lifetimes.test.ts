import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { USERS } from '../../../src/sandbox/state/accounts.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { openSandbox } from '../open-sandbox.ts'
import { createService } from './create-service.ts'
import { basic, callWebhooks, codeFor, exchange, get, requestGrant, requestToken } from './http-calls.ts'

async function hello(sandbox: Sandbox, token: string): Promise<[number, string | undefined]> {
  const answer = await get(sandbox, 'hello', token)
  const { message } = (await answer.json()) as { message?: string }
  return [answer.status, message]
}

describe('time', () => {
  it('expires an access token: 401 until it is refreshed', async () => {
    const sandbox = await openSandbox({ tokenLifetimeSeconds: 1 })
    const start = performance.now()
    const token = await requestToken(sandbox)
    expect(token.expires_in).toBe(1)
    await waitFor(async () => (await hello(sandbox, token.access_token))[0] === 401)
    expect(performance.now() - start).toBeGreaterThanOrEqual(990)
    expect(await hello(sandbox, token.access_token)).toEqual([401, 'Access token expired'])
    expect((await callWebhooks(sandbox, { token: token.access_token })).status).toBe(401)
    const { refresh_token } = token
    const fresh = await requestGrant(sandbox, { grant_type: 'refresh_token', refresh_token })
    expect(fresh.status).toBe(200)
  })

  it('expires a code', async () => {
    const redirect_uri = 'http://localhost:3000/callback'
    const { options, core, app } = createService()
    const exchangeCode = async (lifetimeMs: number) => {
      const code = core.tokens.issueCode(USERS[0], redirect_uri, lifetimeMs)
      const { status } = await app.request('http://localhost/oauth/token', {
        method: 'POST',
        headers: { host: 'localhost', authorization: basic(options) },
        body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri }),
      })
      return status
    }
    expect(await exchangeCode(60_000)).toBe(200)
    expect(await exchangeCode(-1)).toBe(400)
  })
})

it('expireTokens expires all issued access tokens, but no later ones', async () => {
  const sandbox = await openSandbox()
  const tokens = [await requestToken(sandbox), await requestToken(sandbox)]
  const code = codeFor(sandbox)
  sandbox.expireTokens()
  for (const { access_token } of tokens)
    expect(await hello(sandbox, access_token)).toEqual([401, 'Access token expired'])
  expect((await hello(sandbox, (await requestToken(sandbox)).access_token))[0]).toBe(200)
  expect((await exchange(sandbox, code)).status).toBe(200)
})

it('revokeTokens invalidates all issued tokens and codes, but no later ones', async () => {
  const sandbox = await openSandbox()
  const token = await requestToken(sandbox)
  const code = codeFor(sandbox)
  sandbox.revokeTokens()
  expect(await hello(sandbox, token.access_token)).toEqual([401, 'Invalid token'])
  const { refresh_token } = token
  const refreshed = await requestGrant(sandbox, { grant_type: 'refresh_token', refresh_token })
  expect(refreshed.status).toBe(400)
  const refused = await exchange(sandbox, code)
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: 'invalid_grant' }])
  expect((await exchange(sandbox, codeFor(sandbox))).status).toBe(200)
  expect((await hello(sandbox, (await requestToken(sandbox)).access_token))[0]).toBe(200)
})
