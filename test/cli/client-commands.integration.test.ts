import { describe, expect, it } from 'vitest'
import { openSandbox, receiver } from '../sandbox/open-sandbox.ts'
import { get } from '../sandbox/service/http-calls.ts'
import { temporaryFile } from '../support/temporary-folder.ts'
import { jsonLinesOf, payhook, payhookJson } from './payhook.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const URL_OF_SHOP = 'https://shop.example/hooks?token=0123456789abcdef'

async function openService() {
  const sandbox = await openSandbox()
  const { url, clientId, clientSecret } = sandbox
  const env = { PAYHOOK_BASE_URL: url, PAYHOOK_CLIENT_ID: clientId, PAYHOOK_CLIENT_SECRET: clientSecret }
  return { sandbox, env, call: (...args: string[]) => payhook(args, { env }) }
}

describe('payhook token and hello', () => {
  it('prints a token that the service accepts', async () => {
    const { sandbox, call } = await openService()
    const { code, stdout } = await call('token')
    expect(code).toBe(0)
    expect((await get(sandbox, 'hello', stdout.trim())).status).toBe(200)
    expect(jsonLinesOf(await call('token', '--json'))).toMatchObject([
      { version: 1, accessToken: expect.any(String), refreshToken: expect.any(String), tokenType: 'bearer' },
    ])
  })

  it('exits 0 for hello if the service accepts the credentials, and 1 if it does not', async () => {
    const { env, call } = await openService()
    expect(await call('hello')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok/) })
    const otherEnv = { ...env, PAYHOOK_CLIENT_SECRET: 'wrong-secret' }
    const wrong = await payhookJson(['hello'], { env: otherEnv })
    const error = { code: expect.any(String) }
    expect(wrong).toMatchObject({ code: 1, stdout: [], stderr: [{ error }] })
    expect(JSON.stringify(wrong.stderr)).not.toMatch(/wrong-secret|`\w+`|baseUrl/)
  })

  it.each([
    ['PAYHOOK_BASE_URL', '', 'Set PAYHOOK_BASE_URL'],
    ['PAYHOOK_CLIENT_ID', '', 'Set PAYHOOK_CLIENT_ID'],
    ['PAYHOOK_CLIENT_SECRET', '', 'Set PAYHOOK_CLIENT_SECRET'],
    ['PAYHOOK_BASE_URL', 'shop', 'PAYHOOK_BASE_URL must be an'],
    ['PAYHOOK_BASE_URL', 'http://shop.example', 'PAYHOOK_BASE_URL must be an'],
  ])('exits 2 if %s is "%s"', async (name, value, message) => {
    const env = { PAYHOOK_BASE_URL: 'http://127.0.0.1:1', PAYHOOK_CLIENT_SECRET: 'secret', [name]: value }
    const { code, stderr } = await payhook(['hello'], { env })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
    expect(stderr).not.toContain('allowInsecureHttp')
  })
})

describe('payhook webhooks', () => {
  it('prints the response of the service', async () => {
    const service = await receiver((response, { path }) => {
      const json = { 'content-type': 'application/json' }
      if (path === '/oauth/token')
        response.writeHead(200, json).end('{"access_token":"a","token_type":"bearer","expires_in":60}')
      else response.writeHead(422, json).end('{"message":"no such kind"}')
    })
    const env = { PAYHOOK_BASE_URL: new URL(service.url).origin, PAYHOOK_CLIENT_SECRET: 'secret' }
    const rejected = await payhook(['webhooks', 'create', KIND, URL_OF_SHOP], { env })
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('{"message":"no such kind"}') })
    const nobody = await payhook(['hello'], { env: { ...env, PAYHOOK_BASE_URL: 'http://127.0.0.1:1' } })
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('Is the base URL right') })
  })

  it('creates, lists, updates and deletes configurations', async () => {
    const { call } = await openService()
    const [created] = jsonLinesOf(await call('webhooks', 'create', KIND, URL_OF_SHOP, '--json'))
    expect(created).toMatchObject({ version: 1, event: KIND, callbackUrl: URL_OF_SHOP, status: 'Active' })
    expect((await call('webhooks', 'list')).stdout).toBe(
      `${created.id}  ${KIND}  Active  https://shop.example/hooks?token=…\n`,
    )
    const updated = await call('webhooks', 'update', created.id, '--kind', 'VBA_TRANSACTION', '--json')
    expect(jsonLinesOf(updated)).toMatchObject([{ event: 'VBA_TRANSACTION', callbackUrl: URL_OF_SHOP }])
    expect(jsonLinesOf(await call('webhooks', 'delete', created.id, '--json'))).toMatchObject([
      { status: 'Inactive' },
    ])
    const none = { code: 0, stdout: '', stderr: 'No active configurations.\n' }
    expect(await call('webhooks', 'list')).toEqual(none)
    const stderr = expect.stringContaining('is the service path right?')
    expect(await call('webhooks', 'delete', '999999')).toEqual({ code: 1, stdout: '', stderr })
  })
})

describe('payhook webhooks sync', () => {
  async function openSync() {
    const service = await openService()
    const configurations = JSON.stringify([{ event: KIND, callbackUrl: URL_OF_SHOP }])
    return { ...service, file: temporaryFile('webhooks.json', configurations) }
  }

  it('prints the plan of a dry run, then does it, and changes nothing the second time', async () => {
    const { call, file } = await openSync()
    const plan = await call('webhooks', 'sync', file, '--dry-run')
    expect(plan.stdout).toContain('1 to create, 0 to update, 0 to delete, 0 unchanged')
    expect((await call('webhooks', 'sync', file)).stdout).toContain('1 created')
    const [again] = jsonLinesOf(await call('webhooks', 'sync', file, '--json'))
    expect(again).toMatchObject({ version: 1, dryRun: false, created: [], unchanged: [{ event: KIND }] })
  })

  it('prunes only after a yes: exits 2 in a pipe, and asks in a terminal', async () => {
    const { env, call, file } = await openSync()
    const args = ['webhooks', 'sync', file, '--prune']
    // Nothing is to be deleted yet, so that it does not ask.
    expect((await call(...args)).code).toBe(0)
    await call('webhooks', 'create', 'VBA_TRANSACTION', URL_OF_SHOP)
    const unconfirmed = await call(...args)
    expect(unconfirmed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Add --yes') })
    const json = await call(...args, '--json')
    expect([json.code, JSON.parse(json.stderr).error.code]).toEqual([2, 'usage'])
    expect(await payhook(args, { env, columns: 80, stdin: '\x03' })).toMatchObject({ code: 130 })
    const declined = await payhook(args, { env, columns: 80, stdin: 'n\n' })
    expect(declined).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was changed') })
    expect((await call('webhooks', 'list')).stdout).toContain('VBA_TRANSACTION')
    const accepted = await payhook(args, { env, columns: 80, stdin: 'y\n' })
    expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('1 deleted') })
    expect((await call('webhooks', 'list')).stdout).not.toContain('VBA_TRANSACTION')
    await call('webhooks', 'create', 'VBA_TRANSACTION', URL_OF_SHOP)
    expect((await call(...args, '--yes')).stdout).toContain('1 deleted')
  })

  it('registers one URL for all kinds in place of another', async () => {
    const { call } = await openSync()
    await call('webhooks', 'create', KIND, 'https://user:hidden@shop.example/wrong')
    const synced = await call('webhooks', 'sync', '--url', URL_OF_SHOP)
    expect(synced.stdout).toContain('9 created, 1 updated, 0 deleted, 0 unchanged')
    expect(synced.stdout).not.toMatch(/hidden|0123456789abcdef/)
    const again = await call('webhooks', 'sync', '--url', URL_OF_SHOP, '--json')
    expect(again.stdout).toContain('?token=…')
    expect(again.stdout).not.toContain('0123456789abcdef')
    const listed = jsonLinesOf(await call('webhooks', 'list', '--json'))
    expect(new Set(listed.map(({ event }) => event)).size).toBe(10)
    expect(listed).toEqual(listed.map(() => expect.objectContaining({ callbackUrl: URL_OF_SHOP })))
  })

  it('reads a file that begins with a byte order mark', async () => {
    const { call } = await openSync()
    expect(await call('webhooks', 'sync', temporaryFile('marked.json', '\ufeff[]'))).toMatchObject({
      code: 0,
    })
  })

  it('exits 1 for a file that is not JSON', async () => {
    const { call } = await openSync()
    const outcome = await call('webhooks', 'sync', temporaryFile('half.json', '['))
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('is not JSON') })
  })
})
