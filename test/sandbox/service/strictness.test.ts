import { describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import { createSandbox } from '../../../src/sandbox/index.ts'
import { openSandbox } from '../open-sandbox.ts'
import { basic, callWebhooks, read, requestToken, type TokenAnswer } from './http-calls.ts'

const KIND = 'VBA_TRANSACTION'
const callbackURL = 'http://127.0.0.1:1/'

describe('a strict sandbox', () => {
  it('takes what the client sends', async () => {
    const {
      url: baseUrl,
      clientId,
      clientSecret,
      redirectUris,
      consent,
    } = await openSandbox({ strict: true })
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

  it.each<[string, Record<string, string>, string, Record<string, string>]>([
    ['without scope', { grant_type: 'client_credentials' }, '', {}],
    ['with parameters in the query', {}, '?grant_type=client_credentials&scope=all', {}],
    ['with a refresh token in the form', { grant_type: 'refresh_token', refresh_token: 'x' }, '', {}],
    ['with another parameter', { grant_type: 'client_credentials', scope: 'all', x: '1' }, '', {}],
    ['that accepts no JSON', { grant_type: 'client_credentials', scope: 'all' }, '', { accept: 'text/html' }],
  ])('refuses a grant %s', async (_what, form, query, headers) => {
    const sandbox = await openSandbox({ strict: true })
    const answer = await fetch(`${sandbox.url}/oauth/token${query}`, {
      method: 'POST',
      headers: { authorization: basic(sandbox), accept: 'application/json', ...headers },
      body: new URLSearchParams(form),
    })
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: expect.any(String) }])
  })

  it('refuses a read by id, an update of one field, and fields that are not known', async () => {
    const sandbox = await openSandbox({ strict: true })
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
    const sandbox = await openSandbox({ lenient: true })
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
  })

  it('is not the default', async () => {
    const sandbox = await openSandbox()
    const { access_token: token } = await requestToken(sandbox)
    const headers = { authorization: `Bearer ${token}`, 'x-request-id': crypto.randomUUID() }
    expect((await fetch(`${sandbox.url}/svc/v1.1/webhooks`, { headers })).status).toBe(404)
    expect((await fetch(`${sandbox.url}/svc/v1.2/webhooks`, { headers })).status).toBe(400)
  })

  it('cannot be strict as well', async () => {
    await expect(createSandbox({ strict: true, lenient: true })).rejects.toThrow(TypeError)
  })
})
