import { describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { openSandbox } from '../open-sandbox.ts'
import { authorizeUrl } from './browser.ts'
import {
  basic,
  callWebhooks,
  codeFor,
  exchange,
  read,
  requestGrant,
  requestToken,
  type TokenAnswer,
} from './http-calls.ts'

const KIND = 'VBA_TRANSACTION'
const callbackURL = 'http://127.0.0.1:1/'
const GRANT = { grant_type: 'client_credentials', scope: 'all' }

describe('a strict sandbox', () => {
  it('takes what the client sends', async () => {
    const sandbox = await openSandbox({ mode: 'strict' })
    const { url: baseUrl, clientId, clientSecret, redirectUris, consent } = sandbox
    const client = createClient({ baseUrl, clientId, clientSecret })
    const { id } = await client.webhooks.create({ event: KIND, callbackUrl: callbackURL })
    await client.webhooks.update(id, { event: KIND, callbackUrl: `${callbackURL}x` })
    await client.webhooks.delete(id)
    const [redirectUri = ''] = redirectUris
    const ada = createClient({ baseUrl, clientId, clientSecret, grant: 'authorization_code' })
    const code = new URL(consent(ada.authorizeUrl({ redirectUri }))).searchParams.get('code') ?? ''
    await ada.exchangeCode({ code, redirectUri })
    await ada.refresh()
    await ada.hello()
  })

  it.each<[string, ...form: Record<string, string>[]]>([
    ['with an empty scope', { ...GRANT, scope: '' }],
    ['without scope', { grant_type: 'client_credentials' }],
    ['with parameters in the query', {}, GRANT],
    ['with a refresh token in the form', { grant_type: 'refresh_token', refresh_token: 'x' }],
    ['with another parameter', { ...GRANT, x: '1' }],
    ['that accepts no JSON', GRANT, {}, { accept: 'text/html' }],
  ])('refuses a grant %s', async (_what, form = {}, query, headers) => {
    const sandbox = await openSandbox({ mode: 'strict' })
    const answer = await requestGrant(sandbox, form, query, headers)
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: expect.any(String) }])
  })

  it('rejects a repeated parameter, in the token and the authorize call', async () => {
    const repeated = async (sandbox: Sandbox) => {
      const grant = await requestGrant(sandbox, 'grant_type=client_credentials&scope=all&scope=all')
      const page = authorizeUrl(sandbox)
      page.searchParams.append('response_type', 'code')
      return [grant.status, (await fetch(page)).status]
    }
    expect(await repeated(await openSandbox())).toEqual([200, 200])
    expect(await repeated(await openSandbox({ mode: 'strict' }))).toEqual([400, 400])
  })

  it('rejects form-encoded credentials', async () => {
    const clientSecret = 'a secret%'
    const status = async (mode?: 'strict') => {
      const sandbox = await openSandbox({ clientSecret, mode })
      return (await requestGrant({ ...sandbox, clientSecret: 'a+secret%25' }, GRANT)).status
    }
    expect([await status(), await status('strict')]).toEqual([200, 401])
  })

  it('refuses a read by id, an update of one field, and fields that are not known', async () => {
    const sandbox = await openSandbox({ mode: 'strict' })
    const { access_token: token } = await requestToken(sandbox)
    const body = { event: KIND, callbackURL }
    const { id } = await read<{ id: number }>(await callWebhooks(sandbox, { method: 'POST', token, body }))
    const statuses = [
      await callWebhooks(sandbox, { id, token }),
      await callWebhooks(sandbox, { method: 'PATCH', id, token, body: { event: KIND } }),
      await callWebhooks(sandbox, { method: 'PATCH', id, token, body: { ...body, name: 'x' } }),
      await callWebhooks(sandbox, { method: 'POST', token, body: { ...body, name: 'x' } }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([405, 400, 400, 400])
  })
})

describe('a lenient sandbox', () => {
  it('takes any version, any request id and no Content-Type without a body', async () => {
    const sandbox = await openSandbox({ mode: 'lenient' })
    const { access_token: token } = await read<TokenAnswer>(
      await fetch(`${sandbox.url}/oauth/token?grant_type=client_credentials`, {
        method: 'POST',
        headers: { authorization: basic(sandbox) },
      }),
    )
    const call = async (method: string, path: string, id: string, body?: object) =>
      await fetch(`${sandbox.url}/svc/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'x-request-id': id,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
    const { id } = await read<{ id: number }>(
      await call('POST', 'v1.1/webhooks', 'one', { event: KIND, callbackURL }),
    )
    expect((await call('GET', 'v2/webhooks', 'two')).status).toBe(200)
    expect((await call('DELETE', `v1.1/webhooks/${id}`, 'three')).status).toBe(200)
    expect((await call('GET', 'v9/hello', 'four')).status).toBe(200)
    expect((await call('GET', 'v2/webhooks', 'two')).status).toBe(409)
    const missing = await call('GET', 'v2/webhooks', '')
    expect([missing.status, await missing.json()]).toMatchObject([
      400,
      { message: 'X-Request-Id is missing' },
    ])
  })

  it('sends ids as strings, and the name of the user', async () => {
    const sandbox = await openSandbox({ mode: 'lenient' })
    expect(await requestToken(sandbox)).toMatchObject({
      account_id: sandbox.accountId,
      user_id: expect.any(String),
      user_name: sandbox.clientId,
    })
    const [, ben] = sandbox.users
    const { accountId: account_id, userId: user_id, email: user_name } = ben
    const token = await exchange(sandbox, codeFor(sandbox, ben))
    expect(await token.json()).toMatchObject({ account_id, user_id, user_name })
  })
})

describe('a path that is nearly right', () => {
  it.each([
    ['v1.1/webhooks', '/svc/v1.2/webhooks'],
    ['v9/hello', '/svc/v1.0/hello'],
    ['../pay/v1.2/webhooks', '/svc/v1.2/webhooks'],
  ])('%s: the 404 names %s and the lenient mode', async (path, right) => {
    const sandbox = await openSandbox()
    const answer = await fetch(`${sandbox.url}/svc/${path}`)
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { message: expect.stringMatching(`${right}\\b.*"lenient"`) },
    ])
  })
})
