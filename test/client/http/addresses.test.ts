import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ClientOptions, createClient } from '../../../src/client/index.ts'
import { anyCharacter } from '../../any-character.ts'
import { clientOf, openClient, openService } from '../open-client.ts'

const open = (options: object) =>
  createClient({
    baseUrl: 'https://pay.example',
    clientId: 'a',
    clientSecret: 'client-secret-1',
    ...options,
  } as ClientOptions)

describe('createClient', () => {
  it.each<[object, string]>([
    [{ baseUrl: undefined }, 'baseUrl'],
    [{ baseUrl: '/relative' }, 'baseUrl'],
    [{ baseUrl: 'ftp://pay.example' }, 'baseUrl'],
    [{ baseUrl: 'https://pay.example?x=1' }, 'baseUrl'],
    [{ baseUrl: 'https://pay.example/#x' }, 'baseUrl'],
    [{ baseUrl: 'https://user:pass@pay.example' }, 'baseUrl'],
    [{ baseUrl: new URL('https://pay.example') }, 'baseUrl'],
    [{ clientId: '' }, 'clientId'],
    [{ clientId: 'a:b' }, 'clientId'],
    [{ clientId: 'a\n' }, 'clientId'],
    [{ clientSecret: '' }, 'clientSecret'],
    [{ clientSecret: 'b\n' }, 'clientSecret'],
    [{ servicePath: '..' }, 'servicePath'],
    [{ servicePath: 'a?b' }, 'servicePath'],
    [{ authorizePath: 'https://evil.example/' }, ''],
    [{ authorizePath: '//evil.example/' }, ''],
    [{ tokenStore: {} }, 'tokenStore'],
    [{ tokenStore: { get() {}, set() {}, lock: 1 } }, 'tokenStore'],
    [{ grant: 'password' }, 'grant'],
    [{ fetch: 'fetch' }, 'fetch'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeoutMs: 2 ** 31 }, 'timeoutMs'],
    [{ maxRetries: -1 }, 'maxRetries'],
    [{ maxRetries: 11 }, 'maxRetries'],
    [{ retryDelayMs: -1 }, 'retryDelayMs'],
    [{ maxRetryDelayMs: -1 }, 'maxRetryDelayMs'],
    [{ maxResponseBytes: 0 }, 'maxResponseBytes'],
    [{ allowInsecureHttp: 'yes' }, 'allowInsecureHttp'],
    [{ now: 5 }, 'now'],
    [{ clientID: 'x' }, '"clientID" is not an option'],
  ])('rejects %o', (options, message) => {
    expect(() => open(options)).toThrow(TypeError)
    expect(() => open(options)).toThrow(message)
    expect(() => open(options)).toThrow(expect.not.stringContaining('client-secret-1') as never)
  })

  it.each([undefined, null, 'https://pay.example', []])('rejects %j for options', (options) => {
    expect(() => createClient(options as never)).toThrow(TypeError)
  })

  it('says so of a fetch that resolves to no Response, as a forgotten mock does', async () => {
    const hello = open({ fetch: async () => undefined, maxRetries: 0 }).hello()
    await expect(hello).rejects.toThrow('"fetch" option must resolve to a Response')
  })

  it('accepts the limits of every range', () => {
    for (const options of [
      { maxRetries: 0 },
      { maxRetries: 10 },
      { retryDelayMs: 0, maxRetryDelayMs: 0 },
      { retryDelayMs: 2 ** 31 - 1, maxRetryDelayMs: 2 ** 31 - 1 },
      { timeoutMs: 1 },
      { timeoutMs: 2 ** 31 - 1 },
      { servicePath: 'payments-2' },
      { maxResponseBytes: 1 },
    ]) {
      expect(() => open(options)).not.toThrow()
    }
  })
})

describe('plain http', () => {
  it.each(['pay.example', '127.0.0.1.evil.example', 'payments.localhost:3000', 'localhost.', '128.0.0.1'])(
    'to http://%s is rejected, unless it is allowed',
    (host) => {
      const baseUrl = `http://${host}`
      expect(() => open({ baseUrl })).toThrow(/baseUrl/)
      expect(() => open({ baseUrl, allowInsecureHttp: true })).not.toThrow()
    },
  )

  it.each(['LOCALHOST:3000/a', '127.255.3.4:80', '[0:0:0:0:0:0:0:1]/'])('to http://%s is allowed', (host) => {
    expect(() => open({ baseUrl: `http://${host}` })).not.toThrow()
  })
})

it.each([
  ['', ''],
  ['/gateway', '/'],
  ['/a/b', '//'],
])('the base address may have the path %j, and %j at its end', async (basePath, end) => {
  const service = await openService({ basePath })
  const client = clientOf(service, { baseUrl: service.url + end })
  await client.hello()
  await client.webhooks.list()
  await client.request({ method: 'GET', path: '/svc/v3/thing' })
  expect(service.requests.map(({ url }) => url)).toEqual([
    `${basePath}/oauth/token`,
    `${basePath}/svc/v1.0/hello`,
    `${basePath}/svc/v1.2/webhooks`,
    `${basePath}/svc/v3/thing`,
  ])
})

describe('a path', () => {
  const tricks = [
    '',
    'svc/v1.0/hello',
    '//evil.example',
    '\\\\evil.example',
    '@evil.example/',
    '/a#x',
    '/a\r\nHost: evil.example',
    null,
  ]

  it.each(tricks.map((path) => [path]))('that is %j is rejected', async (path) => {
    const { service, client } = await openClient({ basePath: '/gateway' })
    const outcome = (async () => client.request({ method: 'GET', path: path as string }))()
    await expect(outcome).rejects.toThrow(TypeError)
    expect(service.requests).toEqual([])
  })

  it('never sends a token to another host, whatever it is', async () => {
    const seen: string[] = []
    const client = open({
      baseUrl: 'https://pay.example/gateway',
      fetch: async (input: string | URL | Request) => {
        const { href, pathname } = new URL(input instanceof Request ? input.url : input)
        seen.push(href)
        return pathname.endsWith('/oauth/token')
          ? Response.json({ access_token: 'abc', token_type: 'bearer' })
          : Response.json({})
      },
    })
    const piece = fc.constantFrom('/', '\\', '..', '.', '%2e', '@', ':', '?', '#', '\t', '\n', 'evil.example')
    const path = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`),
      fc.string({ unit: anyCharacter }).map((text) => `/${text}`),
    )
    let sent = 0
    await fc.assert(
      fc.asyncProperty(path, async (text) => {
        seen.length = 0
        try {
          await client.request({ method: 'GET', path: text })
          sent++
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError)
        }
        for (const href of seen) expect(href.startsWith('https://pay.example/gateway/')).toBe(true)
      }),
      { numRuns: 200 },
    )
    expect(sent).toBeGreaterThan(0)
  })
})
