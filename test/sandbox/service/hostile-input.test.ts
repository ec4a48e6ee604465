import { once } from 'node:events'
import { Agent, type IncomingMessage, request as openRequest } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { anyCharacter } from '../../any-character.ts'
import { sendRequest } from '../../contracts/send-request.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { createSandbox } from '../open-sandbox.ts'
import { authorizeUrl } from './browser.ts'
import { basic, callWebhooks, requestToken } from './http-calls.ts'

let sandbox: Sandbox
let token: string
let port: number
beforeAll(async () => {
  sandbox = await createSandbox({ mode: 'lenient' })
  token = (await requestToken(sandbox)).access_token
  port = Number(new URL(sandbox.url).port)
})
afterAll(() => sandbox.close())

const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom('__proto__', 'constructor', '%zz', '\r\n', '\0', '../..', 'null', '[]', '1e400'),
)
const pathCharacter = fc.oneof(
  fc.constantFrom(..."aZ09-._~!$&'()*+,;=:@/"),
  anyCharacter.map(encodeURIComponent),
)
// Fast-check's webUrl makes a table of all characters, which takes so long that the server closes connections.
const urls = fc
  .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), fc.string({ unit: pathCharacter }))
  .map(([scheme, authority, path]) => `${scheme}://${authority}/${path}`)
const runs = { numRuns: 80 }

describe('any input gets no 5xx', () => {
  it('at the token endpoint, in forms and queries', async () => {
    const names = fc.oneof(
      fc.constantFrom('grant_type', 'code', 'refresh_token', 'redirect_uri', 'scope', 'client_id'),
      hostile,
    )
    const values = fc.oneof(
      fc.constantFrom('client_credentials', 'authorization_code', 'refresh_token', 'password', 'all'),
      hostile,
    )
    const form = fc.array(fc.tuple(names, values), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(form, form, async (query, fields) => {
        const answer = await fetch(`${sandbox.url}/oauth/token?${new URLSearchParams(query)}`, {
          method: 'POST',
          headers: { authorization: basic(sandbox) },
          body: new URLSearchParams(fields),
        })
        const body = (await answer.json()) as object
        expect([200, 400]).toContain(answer.status)
        expect(body).toHaveProperty(answer.status === 200 ? 'access_token' : 'error')
      }),
      runs,
    )
  })

  it('at the token endpoint, in bytes', async () => {
    const types = fc.constantFrom(
      'application/x-www-form-urlencoded',
      'application/json',
      'multipart/form-data',
      'x',
    )
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), types, async (body, type) => {
        const headers = { authorization: basic(sandbox), 'content-type': type }
        const { status } = await sendRequest(port, { path: '/oauth/token?%ff=%', headers, body })
        expect(status).toBe(400)
      }),
      runs,
    )
  })

  it('on the authorize page', async () => {
    const fields = fc.dictionary(
      fc.oneof(fc.constantFrom('step', 'ticket', 'email', 'password', 'state'), hostile),
      hostile,
    )
    await fc.assert(
      fc.asyncProperty(fields, fields, async (query, form) => {
        for (const init of [{}, { method: 'POST', body: new URLSearchParams(form) }]) {
          const answer = await fetch(authorizeUrl(sandbox, query), { ...init, redirect: 'manual' })
          expect(answer.status).toBeLessThan(500)
          expect(answer.headers.get('location') ?? 'http://localhost:3000/callback').toMatch(
            /^http:\/\/localhost:3000\/callback/,
          )
          expect(await answer.text()).not.toContain('<script')
        }
      }),
      runs,
    )
  })

  it('as a configuration, JSON or not', async () => {
    const bodies = fc.oneof(
      fc.json(),
      fc.string({ unit: anyCharacter }),
      fc
        .record({ event: fc.constant('VBA_TRANSACTION'), callbackURL: fc.oneof(hostile, urls) })
        .map((one) => JSON.stringify(one)),
      fc.constant(`{"__proto__":{"event":"VBA_TRANSACTION","callbackURL":"http://a/"}}`),
      fc.constant(`${'['.repeat(50_000)}${']'.repeat(50_000)}`),
    )
    await fc.assert(
      fc.asyncProperty(bodies, fc.nat(), async (body, salt) => {
        const headers = { 'x-request-id': `${salt} ${Math.random()}` }
        const answer = await callWebhooks(sandbox, { method: 'POST', token, body, headers })
        expect([200, 400]).toContain(answer.status)
      }),
      runs,
    )
    const headers = {
      authorization: `Bearer ${token}`,
      'x-request-id': 'bytes',
      'content-type': 'application/json',
    }
    const latin = Buffer.from('{"event":"VBA_TRANSACTION","callbackURL":"http://a/\xe9"}', 'latin1')
    expect((await sendRequest(port, { path: '/svc/v1.2/webhooks', headers, body: latin })).status).toBe(400)
  })

  it('as the id of a configuration, as a path, as a method', async () => {
    const ids = fc.oneof(
      hostile.map(encodeURIComponent),
      fc.constantFrom('9'.repeat(5_000), '-1', '01', '%ff', '%00'),
    )
    await fc.assert(
      fc.asyncProperty(
        ids.filter((id) => !/^\.*$/.test(id)),
        fc.constantFrom('GET', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'HEAD', 'PROPFIND'),
        async (id, method) => {
          const headers = {
            authorization: `Bearer ${token}`,
            'x-request-id': `${Math.random()}`,
            'content-type': 'application/json',
          }
          const answer = await sendRequest(port, { method, path: `/svc/v1.2/webhooks/${id}`, headers })
          expect([400, 404, 405]).toContain(answer.status)
        },
      ),
      runs,
    )
  })

  it.each(['//', '/%', '/%ff', '/..%2f', '*', 'http://other/x', '/svc/v1.2/webhooks/', '/oauth/token/'])(
    'as the path %s',
    async (path) => {
      const { status } = await sendRequest(port, { method: 'GET', path, headers: {} })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    },
  )

  it('as a Host header', async () => {
    for (const host of ['a b', 'x@y', '[', 'a/b', `${'h'.repeat(5_000)}`]) {
      const { status } = await sendRequest(port, {
        method: 'GET',
        path: '/svc/v1.0/hello',
        headers: { host },
      })
      expect([400, 421]).toContain(status)
    }
  })
})

describe('bodies', () => {
  it.each(['/oauth/token', '/oauth/authorize', '/svc/v1.2/webhooks'])(
    'over 1 MiB are rejected at %s, declared or not',
    async (route) => {
      const path = route === '/oauth/authorize' ? authorizeUrl(sandbox).href.slice(sandbox.url.length) : route
      const type = route.includes('webhooks') ? 'application/json' : 'application/x-www-form-urlencoded'
      const head = { authorization: `Bearer ${token}`, 'content-type': type }
      const large = new Uint8Array(1024 * 1024 + 1).fill(97)
      for (const body of [large, [large.subarray(0, 700_000), large.subarray(0, 700_000)]]) {
        const headers = { ...head, 'x-request-id': `${Math.random()}` }
        expect((await sendRequest(port, { path, headers, body })).status).toBe(413)
      }
    },
  )

  it('that end too early are recorded as 400', async () => {
    const before = sandbox.requests().length
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      'POST /oauth/token?early HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ngrant_type=',
    )
    socket.end()
    await once(socket.resume(), 'close')
    await waitFor(() => sandbox.requests().length > before)
    expect(sandbox.requests().slice(before)).toMatchObject([{ path: '/oauth/token', status: 400 }])
    expect((await requestToken(sandbox)).token_type).toBe('bearer')
  })

  it.each(['/oauth/token', '/_sandbox/trigger'])(
    'that is streamed and too large gets a 413, and the connection the next response (%s)',
    async (path) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      onTestFinished(() => agent.destroy())
      const chunk = Buffer.alloc(64 * 1024, 97)
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const send = async (chunks: number) => {
        const request = openRequest({ agent, port, path, method: 'POST', headers })
        for (let count = 0; count < chunks; count++)
          if (!request.write(chunk)) await Promise.race([once(request, 'drain'), once(request, 'error')])
        request.end()
        const [response] = (await once(request, 'response')) as [IncomingMessage]
        await once(response.resume(), 'end')
        return [response.statusCode, request.reusedSocket]
      }
      expect(await send(40)).toEqual([413, false])
      expect((await send(1))[1]).toBe(true)
      expect(await send(400)).toEqual([413, true])
      expect((await send(0))[1]).toBe(true)
    },
  )
})
