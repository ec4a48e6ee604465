import { once } from 'node:events'
import { type IncomingMessage, get as openGet } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { checkSandboxOptions } from '../../src/sandbox/state/sandbox-options.ts'
import { sendRequest } from '../contracts/send-request.ts'
import { openSandbox } from './open-sandbox.ts'
import { authorizeUrl, openAuthorizePage } from './service/browser.ts'
import { createService } from './service/create-service.ts'
import { get } from './service/http-calls.ts'

// Before the first sandbox.
const { Request, Response } = globalThis

describe('options', () => {
  it('have defaults', () => {
    expect(checkSandboxOptions({})).toEqual({
      port: 0,
      hostname: '127.0.0.1',
      clientId: 'sandbox-client-id',
      clientSecret: 'sandbox-client-secret',
      servicePath: 'svc',
      authorizePath: '/oauth/authorize',
      redirectUris: ['http://localhost:3000/callback'],
      tokenLifetimeSeconds: 3_600,
      retryDelayMs: 5_000,
      attemptTimeoutMs: 10_000,
      allowedHosts: [],
      resourcePath: undefined,
      mode: undefined,
      stateFile: undefined,
      partner: false,
    })
  })

  it.each<[string, unknown, RegExp]>([
    ['unknown', { retries: 3 }, /"retries" is not an option/],
    ['port', { port: 65_536 }, /"port" option/],
    ['hostname', { hostname: '' }, /"hostname" option/],
    ['clientId', { clientId: 'a:b' }, /"clientId" option/],
    ['clientId', { clientId: 'a ' }, /"clientId" option/],
    ['clientSecret', { clientSecret: ' b' }, /"clientSecret" option/],
    ['clientSecret', { clientSecret: 'é' }, /"clientSecret" option/],
    ['servicePath', { servicePath: '../x' }, /"servicePath" option/],
    ['authorizePath', { authorizePath: 'authorize' }, /"authorizePath" option/],
    ['servicePath', { servicePath: 'a/b' }, /"servicePath" option/],
    ['servicePath', { servicePath: '' }, /"servicePath" option/],
    ['servicePath', { servicePath: '..' }, /"servicePath" option/],
    ['authorizePath', { authorizePath: '/oauth/token' }, /"authorizePath" option must not be/],
    ['authorizePath', { authorizePath: '/svc' }, /"authorizePath" option must not be/],
    ['authorizePath', { authorizePath: '/svc/v1.0/hello' }, /or below \/svc/],
    ['authorizePath', { servicePath: 'pay', authorizePath: '/pay/x' }, /or below \/pay/],
    ['authorizePath', { authorizePath: '/' }, /"authorizePath" option must be a path/],
    ['authorizePath', { authorizePath: '/a//b' }, /"authorizePath" option must be a path/],
    ['authorizePath', { authorizePath: '/a/:b' }, /"authorizePath" option must be a path/],
    ['redirectUris', { redirectUris: ['http://a/ b'] }, /"redirectUris" option/],
    ['redirectUris', { redirectUris: 'http://a/' }, /"redirectUris" option/],
    ['redirectUris', { redirectUris: ['/callback'] }, /"redirectUris" option/],
    ['redirectUris', { redirectUris: ['http://a/#x'] }, /"redirectUris" option/],
    ['tokenLifetimeSeconds', { tokenLifetimeSeconds: 0 }, /"tokenLifetimeSeconds" option/],
    ['retryDelayMs', { retryDelayMs: -1 }, /"retryDelayMs" option/],
    ['attemptTimeoutMs', { attemptTimeoutMs: 0 }, /"attemptTimeoutMs" option/],
    ['mode', { mode: 'loose' }, /"mode" option must be 'strict' or 'lenient'/],
    ['resourcePath', { resourcePath: '/' }, /"resourcePath" option must be a path/],
    ['resourcePath', { resourcePath: '/_sandbox' }, /"resourcePath" option must be a path/],
    ['stateFile', { stateFile: '' }, /"stateFile" option/],
    ['allowedHosts', { allowedHosts: ['a:1'] }, /"allowedHosts" option must be a list of names/],
    ['partner', { partner: 1 }, /"partner" option must be a boolean/],
    ['no object', null, /options must be an object/],
  ])('reject an invalid %s', async (_name, options, message) => {
    await expect(createSandbox(options as object)).rejects.toThrow(TypeError)
    await expect(createSandbox(options as object)).rejects.toThrow(message)
  })

  it('authorizePath and servicePath determine the paths of the service', async () => {
    const sandbox = await openSandbox({ servicePath: 'oauth2', authorizePath: '/oauth/v2.0/log~in' })
    const url = authorizeUrl(sandbox)
    url.pathname = '/oauth/v2.0/log~in'
    expect((await openAuthorizePage(url)).status).toBe(200)
    expect((await fetch(`${sandbox.url}/oauth2/v1.0/hello`)).status).toBe(401)
    expect((await fetch(`${sandbox.url}/oauth/authorize`)).status).toBe(404)
  })

  it('hostname 0.0.0.0 has the URL 127.0.0.1', async () => {
    const all = await openSandbox({ hostname: '0.0.0.0' })
    expect(all.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await get(all, 'hello')).status).toBe(401)
  })
})

describe('the Host of a request', () => {
  async function statusFor({ url }: { readonly url: string }, host: string): Promise<number> {
    const request = openGet(`${url}/svc/v1.0/hello`, { headers: { host } })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    return answer.resume().statusCode ?? 0
  }

  it('is allowed if it is this machine, and gets a 421 if it is another one', async () => {
    const sandbox = await openSandbox()
    for (const [status, hosts] of [
      [401, 'localhost LOCALHOST:1 127.0.0.1 127.0.0.1:65535 127.99.0.3:80 [::1] [::1]:3000'],
      [421, 'evil.example evil.example:80 localhost.evil.example 127.0.0.1.evil.example'],
      [421, 'evil-localhost 10.0.0.1 0.0.0.0 [::2] 128.0.0.1'],
    ] as const)
      for (const host of hosts.split(' ')) expect(await statusFor(sandbox, host), host).toBe(status)
  })

  it('is compared with the listening address in any spelling', async () => {
    for (const hostname of ['localhost', '127.1', '2130706433']) {
      const sandbox = await openSandbox({ hostname })
      expect((await get(sandbox, 'hello')).status).toBe(401)
      expect(await statusFor(sandbox, hostname)).toBe(401)
      expect(await statusFor(sandbox, 'evil.example')).toBe(421)
    }
  })

  it('is compared with the resolved address of hostname, and with hostname itself', async () => {
    const statuses = (address: string) => {
      const { app } = createService({ hostname: 'Payments.test' }, address)
      const hosts = ['payments.test:80', 'localhost', 'evil.example', 'payments.test.evil.example', '']
      const url = 'http://x/svc/v1.0/hello'
      return Promise.all(hosts.map(async (host) => (await app.request(url, { headers: { host } })).status))
    }
    expect(await statuses('127.0.1.1')).toEqual([401, 401, 421, 421, 421])
    expect(await statuses('10.0.0.1')).toEqual([401, 401, 401, 401, 401])
  })

  it('is checked on IPv6 addresses, too', async () => {
    for (const hostname of ['::1', '0:0::1', '::ffff:127.0.0.1']) {
      const sandbox = await openSandbox({ hostname }).catch((error) => error)
      // Not every machine has IPv6.
      if (sandbox instanceof Error)
        return expect(sandbox).toMatchObject({ code: expect.stringMatching(/^EA/) })
      expect(sandbox.url).toMatch(`http://[${hostname}]:`)
      expect((await get(sandbox, 'hello')).status).toBe(401)
      expect(await statusFor(sandbox, 'evil.example')).toBe(421)
    }
  })

  it('is checked on every path, and recorded', async () => {
    const sandbox = await openSandbox()
    const port = Number(new URL(sandbox.url).port)
    const paths = ['/', '/_sandbox/credentials', '/oauth/token', '/oauth/authorize', '/svc/v1.2/webhooks']
    for (const path of paths) {
      const answer = await sendRequest(port, { method: 'GET', path, headers: { host: 'evil.example' } })
      expect(answer.status).toBe(421)
      expect(answer.json.message).toContain('Host')
    }
    expect(sandbox.requests()).toMatchObject(paths.slice(2).map((path) => ({ path, status: 421 })))
  })
})

it('the surrounding program keeps its own Request and Response', async () => {
  const sandbox = await openSandbox()
  expect((await get(sandbox, 'hello')).status).toBe(401)
  expect(globalThis.Request).toBe(Request)
  expect(globalThis.Response).toBe(Response)
})
