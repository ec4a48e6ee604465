import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { receiver } from '../sandbox/open-sandbox.ts'
import { payhook, startPayhook } from './payhook.ts'

async function startSandbox(args: readonly string[], env: Record<string, string>) {
  const running = startPayhook(['sandbox', '--port', '0', '--json', ...args], { env })
  const description = JSON.parse(await running.printed(/\n/))
  const { url: baseUrl, clientId, clientSecret } = description
  const servicePath = env.PAYHOOK_SERVICE_PATH
  return { running, description, client: createClient({ baseUrl, clientId, clientSecret, servicePath }) }
}

describe('payhook sandbox', () => {
  it('prints its URL, uses the credentials of the environment, and exits 130 on Ctrl-C', async () => {
    const { running, description, client } = await startSandbox([], { PAYHOOK_CLIENT_SECRET: 'secret' })
    expect(description).toMatchObject({
      version: 1,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      clientId: 'sandbox-client-id',
      clientSecret: 'secret',
    })
    expect(await client.webhooks.list()).toEqual([])
    expect(await running.stop()).toBe(130)
  })

  it('prints the data on stdout and the next command on stderr, whole if the width is unknown', async () => {
    const env = { PAYHOOK_CLIENT_SECRET: `it's`, NO_COLOR: '1' }
    const running = startPayhook(['sandbox', '--port', '0'], { env, columns: 0 })
    const stdout = await running.printed(/PAYHOOK_CLIENT_SECRET {2}it's\n/)
    const [url] = /http:\/\/\S+/.exec(stdout) ?? []
    await running.stop()
    expect(running.stderr()).toContain(
      `export PAYHOOK_BASE_URL='${url}' PAYHOOK_CLIENT_ID='sandbox-client-id' PAYHOOK_CLIENT_SECRET='it'\\''s'`,
    )
  })

  it('exits 1 if the port is in use', async () => {
    const { port } = await receiver()
    const { code, stderr } = await payhook(['sandbox', '--port', `${port}`])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`Port ${port} is in use`) })
  })

  it('has options of createSandbox and the service path, and exits 143 on SIGTERM', async () => {
    const args = ['--token-lifetime', '90s', '--resource-path', '/payments', '--partner']
    const { running, client } = await startSandbox(args, { PAYHOOK_SERVICE_PATH: 'payments' })
    expect((await client.token()).expiresAt?.getTime()).toBeLessThan(Date.now() + 91_000)
    expect(await client.webhooks.list()).toEqual([])
    expect(await running.stop('SIGTERM')).toBe(143)
  })
})
