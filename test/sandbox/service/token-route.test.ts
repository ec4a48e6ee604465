import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { createSandbox } from '../open-sandbox.ts'
import {
  basic,
  codeFor,
  exchange,
  get,
  read,
  requestGrant,
  requestToken,
  type TokenAnswer,
} from './http-calls.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox()
})
afterAll(() => sandbox.close())

const redirect_uri = 'http://localhost:3000/callback'

const hello = async (token: string) => await get(sandbox, 'hello', token)

describe('the token response', () => {
  it('has all fields, numbers as numbers', async () => {
    const response = await requestGrant(sandbox, { grant_type: 'client_credentials', scope: 'all' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'bearer',
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 3600,
      scope: 'all',
      account_id: Number(sandbox.accountId),
      user_id: expect.any(Number),
    })
  })

  it('belongs to the user who consented', async () => {
    const token = await read<TokenAnswer>(await exchange(sandbox, codeFor(sandbox)))
    const [user] = sandbox.users
    expect(token).toMatchObject({
      token_type: 'bearer',
      scope: 'all',
      expires_in: 3600,
      account_id: Number(user?.accountId),
      user_id: Number(user?.userId),
    })
    expect(Object.keys(token)).toHaveLength(7)
    expect(await (await hello(token.access_token)).json()).toEqual({
      account_id: Number(user?.accountId),
      user_id: Number(user?.userId),
    })
  })
})

describe('the refresh grant', () => {
  it('replaces the old tokens, and keeps the user', async () => {
    const old = await read<TokenAnswer>(await exchange(sandbox, codeFor(sandbox)))
    const query = { refresh_token: old.refresh_token }
    const fresh = await read<TokenAnswer>(await requestGrant(sandbox, { grant_type: 'refresh_token' }, query))
    const { account_id, user_id } = old
    expect(fresh).toMatchObject({ account_id, user_id, expires_in: 3600, token_type: 'bearer' })
    expect(fresh.access_token).not.toBe(old.access_token)
    expect(fresh.refresh_token).not.toBe(old.refresh_token)
    expect((await hello(old.access_token)).status).toBe(401)
    expect((await hello(fresh.access_token)).status).toBe(200)
    const again = await requestGrant(sandbox, { grant_type: 'refresh_token' }, query)
    expect(again.status).toBe(400)
    expect(await again.json()).toMatchObject({
      error: 'invalid_grant',
      error_description: expect.any(String),
    })
  })

  it('succeeds once for concurrent requests', async () => {
    const { refresh_token } = await requestToken(sandbox)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => requestGrant(sandbox, { grant_type: 'refresh_token', refresh_token })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('parameters are accepted', () => {
  const grant = new URLSearchParams({ grant_type: 'client_credentials', scope: 'all' })
  it.each<[string, string, RequestInit]>([
    ['in the form', '', { body: grant }],
    ['in the query, without a body', `?${grant}`, {}],
    [
      'in the query, with an empty JSON body',
      `?${grant}`,
      { body: '{}', headers: { 'content-type': 'application/json' } },
    ],
    ['in both places', `?${grant}`, { body: grant }],
    ['without a scope', '?grant_type=client_credentials', {}],
    ['with a scope that is empty', '?scope=', { body: grant }],
    ['with an empty scope only', '?grant_type=client_credentials&scope=', {}],
  ])('%s', async (_where, search, init) => {
    const headers = { authorization: basic(sandbox), ...init.headers }
    const answer = await fetch(`${sandbox.url}/oauth/token${search}`, { ...init, method: 'POST', headers })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ token_type: 'bearer', scope: 'all' })
  })
})

describe('rejected', () => {
  it.each([
    ['no grant type', {}, 'invalid_request'],
    ['a grant type of a prototype', { grant_type: 'constructor' }, 'unsupported_grant_type'],
    ['the password grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['another scope', { grant_type: 'client_credentials', scope: 'admin' }, 'invalid_scope'],
    ['no code', { grant_type: 'authorization_code', redirect_uri }, 'invalid_request'],
    ['a wrong code', { grant_type: 'authorization_code', code: 'x', redirect_uri }, 'invalid_grant'],
    ['no refresh token', { grant_type: 'refresh_token' }, 'invalid_request'],
    ['a wrong refresh token', { grant_type: 'refresh_token', refresh_token: '__proto__' }, 'invalid_grant'],
  ] as const)('%s', async (_what, form, error) => {
    const answer = await requestGrant(sandbox, form)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error, error_description: expect.any(String) })
  })

  const INVALID = 'The client id or the client secret is wrong'
  const NO_HEADER = 'Send client_id and client_secret in the header "Authorization: Basic", not in the body'

  it.each<[string, string | undefined, string?]>([
    ['no credentials', undefined],
    ['a wrong secret', `Basic ${btoa('sandbox-client-id:wrong')}`, INVALID],
    ['a wrong id', `Basic ${btoa('other:sandbox-client-secret')}`, INVALID],
    ['no base64', 'Basic !!!'],
    ['an empty secret', `Basic ${btoa('sandbox-client-id:')}`],
    ['an empty id', `Basic ${btoa(':sandbox-client-secret')}`],
    ['an id that is not UTF-8', `Basic ${btoa('\xff:sandbox-client-secret')}`, INVALID],
    ['a bearer', 'Bearer x'],
  ])('%s: 401', async (_what, authorization, description = NO_HEADER) => {
    const answer = await fetch(`${sandbox.url}/oauth/token`, {
      method: 'POST',
      headers: authorization === undefined ? {} : { authorization },
      // Credentials in the form do not replace the header.
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: sandbox.clientId,
        client_secret: sandbox.clientSecret,
      }),
    })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic/)
    expect(await answer.json()).toEqual({ error: 'invalid_client', error_description: description })
  })

  it('a parameter with two values', async () => {
    const form = { grant_type: 'client_credentials', scope: 'all' }
    const answer = await requestGrant(sandbox, form, { grant_type: 'refresh_token' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' })
  })

  it('a redirect_uri that differs from that of the code or is missing', async () => {
    const form = { grant_type: 'authorization_code', code: codeFor(sandbox) }
    const other = { ...form, redirect_uri: 'http://localhost:3000/other' }
    expect((await requestGrant(sandbox, other)).status).toBe(400)
    // It has used up the code.
    expect((await requestGrant(sandbox, { ...form, redirect_uri })).status).toBe(400)
    expect((await requestGrant(sandbox, { ...form, code: codeFor(sandbox) })).status).toBe(400)
  })

  it('another method', async () => {
    const answer = await fetch(`${sandbox.url}/oauth/token`)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
  })
})

it('a code that is used twice revokes its tokens, also refreshed ones', async () => {
  const code = codeFor(sandbox)
  const token = await read<TokenAnswer>(await exchange(sandbox, code))
  const refresh = { grant_type: 'refresh_token', refresh_token: token.refresh_token }
  const fresh = await read<TokenAnswer>(await requestGrant(sandbox, refresh))
  expect((await hello(fresh.access_token)).status).toBe(200)
  const second = await exchange(sandbox, code)
  expect(second.status).toBe(400)
  expect(await second.json()).toMatchObject({ error: 'invalid_grant' })
  expect((await hello(fresh.access_token)).status).toBe(401)
  const later = { grant_type: 'refresh_token', refresh_token: fresh.refresh_token }
  expect((await requestGrant(sandbox, later)).status).toBe(400)
})

describe('hello', () => {
  it.each(['', 'Basic x', 'Bearer', 'Bearer  ', 'Bearer a b', 'Bearer __proto__'])(
    'responds Invalid token to %j',
    async (authorization) => {
      const answer = await fetch(`${sandbox.url}/svc/v1.0/hello`, { headers: { authorization } })
      expect(answer.status).toBe(401)
      expect(await answer.json()).toMatchObject({ message: 'Invalid token' })
    },
  )

  it('accepts the scheme in any case', async () => {
    const { access_token } = await requestToken(sandbox)
    const headers = { authorization: `bearer ${access_token}` }
    expect((await fetch(`${sandbox.url}/svc/v1.0/hello`, { headers })).status).toBe(200)
  })
})
