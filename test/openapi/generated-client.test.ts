import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import createClient from 'openapi-fetch'
import { describe, expect, it } from 'vitest'
import { createClientTypes } from '../../scripts/write-openapi.ts'
import { openSandbox } from '../sandbox/open-sandbox.ts'
import { documents } from './documents.ts'
import type { paths, webhooks } from './generated/service-api.ts'

describe('the types of openapi-typescript', () => {
  it('are current', async () => {
    const file = new URL('generated/service-api.ts', import.meta.url)
    expect(readFileSync(file, 'utf8')).toBe(await createClientTypes(documents.service))
  })

  it('know the notifications', () => {
    type Notification =
      webhooks['ACCOUNT_STATUS_UPDATED']['post']['requestBody']['content']['application/json']
    const notification: Notification = {
      type: 'ACCOUNT_STATUS_UPDATED',
      data: { id: 710021, paymentReady: true, verified: true },
    }
    // @ts-expect-error -- another kind
    notification.type = 'VBA_TRANSACTION'
    expect(notification).toHaveProperty('data')
  })
})

it('a client of openapi-fetch gets a token and manages configurations', async () => {
  const { url: baseUrl, clientId, clientSecret } = await openSandbox({ mode: 'strict' })
  const client = createClient<paths>({ baseUrl, headers: { accept: 'application/json' } })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const { data: token } = await client.POST('/oauth/token', {
    headers: { ...form, authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: { grant_type: 'client_credentials', scope: 'all' },
    bodySerializer: (body) => new URLSearchParams({ ...body }),
  })
  expect(token?.token_type).toBe('bearer')
  const authorization = `Bearer ${token?.access_token}`

  client.use({
    onRequest({ request }) {
      request.headers.set('authorization', authorization)
      request.headers.set('content-type', 'application/json')
    },
  })
  expect((await client.GET('/svc/v1.0/hello')).response.status).toBe(200)

  const once = () => ({ header: { 'X-Request-Id': randomUUID() } })
  const body = { event: 'VBA_TRANSACTION', callbackURL: 'https://shop.example/hooks' } as const
  const { data: created } = await client.POST('/svc/v1.2/webhooks', { params: once(), body })
  const webhookId = created?.id ?? ''
  const one = () => ({ ...once(), path: { webhookId } })
  const { data: updated } = await client.PATCH('/svc/v1.2/webhooks/{webhookId}', {
    params: one(),
    body: { ...body, callbackURL: 'https://shop.example/others' },
  })
  expect((await client.GET('/svc/v1.2/webhooks', { params: once() })).data).toEqual([updated])
  const { data: deleted } = await client.DELETE('/svc/v1.2/webhooks/{webhookId}', { params: one() })
  expect(deleted).toEqual({ ...updated, status: 'Inactive' })
  const { error } = await client.DELETE('/svc/v1.2/webhooks/{webhookId}', { params: one() })
  expect(error?.message).toContain('not found')

  const misspelled = { event: body.event, callbackUrl: body.callbackURL }
  // @ts-expect-error -- the URL is spelled as in responses
  const wrong = await client.POST('/svc/v1.2/webhooks', { params: once(), body: misspelled })
  expect(wrong.response.status).toBe(400)
})
