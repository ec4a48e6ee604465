// Not a part of `npm run types`, as the types are generated when the test runs.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import createClient from 'openapi-fetch'
import openapiTypescript, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { openSandbox } from '../sandbox/open-sandbox.ts'
import { documents } from './documents.ts'
import type { paths, webhooks } from './service-api.ts'

/** Where this file imports the generated types from. They are not written: only the compiler reads them. */
const GENERATED = fileURLToPath(new URL('service-api.ts', import.meta.url))

it('compiles with the types of openapi-typescript', async () => {
  const types = astToString(await openapiTypescript(documents.service as never))
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (path) => path === GENERATED || fileExists(path)
  host.readFile = (path) => (path === GENERATED ? types : readFile(path))
  host.getSourceFile = (path, ...rest) =>
    path === GENERATED ? ts.createSourceFile(path, types, rest[0]) : getSourceFile(path, ...rest)
  const program = ts.createProgram([import.meta.filename], options, host)
  const own = program.getSourceFile(import.meta.filename)
  expect(ts.formatDiagnostics(program.getSemanticDiagnostics(own), { ...host, getNewLine: () => '\n' })).toBe(
    '',
  )
})

it('knows the notifications', () => {
  type Notification = webhooks['ACCOUNT_STATUS_UPDATED']['post']['requestBody']['content']['application/json']
  const notification: Notification = {
    type: 'ACCOUNT_STATUS_UPDATED',
    data: { id: 710021, paymentReady: true, verified: true },
  }
  // @ts-expect-error -- another kind
  notification.type = 'VBA_TRANSACTION'
  expect(notification).toHaveProperty('data')
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
