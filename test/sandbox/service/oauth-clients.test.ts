import * as openid from 'openid-client'
import { AuthorizationCode, ClientCredentials } from 'simple-oauth2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { createSandbox } from '../open-sandbox.ts'
import { consent } from './browser.ts'
import { get, read } from './http-calls.ts'

let sandbox: Sandbox
beforeAll(async () => {
  // Characters that OAuth clients encode, and that the service accepts unencoded.
  sandbox = await createSandbox({ clientSecret: 'se+cr/et%20 &=~!' })
})
afterAll(() => sandbox.close())

const redirectUri = 'http://localhost:3000/callback'

const hello = async (token: string) => await read(await get(sandbox, 'hello', token))

describe('openid-client', () => {
  function configure(): openid.Configuration {
    const server = {
      issuer: sandbox.url,
      authorization_endpoint: `${sandbox.url}/oauth/authorize`,
      token_endpoint: `${sandbox.url}/oauth/token`,
    }
    const authentication = openid.ClientSecretBasic(sandbox.clientSecret)
    const config = new openid.Configuration(server, sandbox.clientId, undefined, authentication)
    openid.allowInsecureRequests(config)
    return config
  }

  it('client credentials', async () => {
    const tokens = await openid.clientCredentialsGrant(configure(), { scope: 'all' })
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'all' })
    expect(tokens.expiresIn()).toBeGreaterThan(3_590)
    expect(await hello(tokens.access_token)).toMatchObject({ account_id: Number(sandbox.accountId) })
  })

  it('authorization code with state, and with a challenge that is ignored, then refresh', async () => {
    const config = configure()
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const state = openid.randomState()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'all',
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const callback = await consent(sandbox, url)
    const checks = { pkceCodeVerifier, expectedState: state }
    const tokens = await openid.authorizationCodeGrant(config, callback, checks)
    expect(await hello(tokens.access_token)).toMatchObject({
      account_id: Number(sandbox.users[0]?.accountId),
    })
    const fresh = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(fresh.access_token).not.toBe(tokens.access_token)
    await hello(fresh.access_token)
    await expect(openid.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })
})

describe.each(['strict', 'loose'] as const)('simple-oauth2, credentials encoded %s', (mode) => {
  const configure = () => ({
    client: { id: sandbox.clientId, secret: sandbox.clientSecret },
    auth: { tokenHost: sandbox.url },
    options: { credentialsEncodingMode: mode },
  })

  it('client credentials', async () => {
    const { token } = await new ClientCredentials(configure()).getToken({ scope: 'all' })
    expect(token).toMatchObject({ token_type: 'bearer', account_id: Number(sandbox.accountId) })
    await hello(String(token.access_token))
  })

  it('authorization code, then refresh', async () => {
    const client = new AuthorizationCode(configure())
    const url = client.authorizeURL({ redirect_uri: redirectUri, state: 'simple' })
    const callback = await consent(sandbox, url, 1)
    expect(callback.searchParams.get('state')).toBe('simple')
    const code = callback.searchParams.get('code') ?? ''
    const access = await client.getToken({ code, redirect_uri: redirectUri, scope: 'all' })
    expect(access.token).toMatchObject({ account_id: Number(sandbox.users[1]?.accountId) })
    const fresh = await access.refresh()
    expect(fresh.token.access_token).not.toBe(access.token.access_token)
    await hello(String(fresh.token.access_token))
  })
})
