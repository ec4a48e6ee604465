import { describe, expect, it, vi } from 'vitest'
import { applyThenCut, cutBefore, hang, respond } from '../exchange.ts'
import { clientOf, failureOf, openClient, openService, storeWithToken } from '../open-client.ts'

const thing = '/svc/v1.0/thing'
const TOKEN = 'POST /oauth/token'
const wanted = { event: 'VBA_TRANSACTION', callbackUrl: 'https://a.example/' }

const coded = (message: string, fields: object = {}) => Object.assign(new Error(message), fields)
const fetchFailed = (cause: unknown) => Object.assign(new TypeError('fetch failed'), { cause })

/** What a POST comes to whose fetch rejects with this, however often it is called. */
async function postFailingWith(reason: unknown) {
  const service = await openService()
  const fetch = vi.fn(() => Promise.reject(reason))
  const { request } = clientOf(service, { tokenStore: await storeWithToken(service), fetch, maxRetries: 2 })
  const error = await failureOf(request({ method: 'POST', path: thing, body: {} }))
  return { error, sent: fetch.mock.calls.length }
}

describe('a POST whose connection fails', () => {
  it.each<[string, object]>([
    ['a host that is out of reach while the response is read', { code: 'EHOSTUNREACH', syscall: 'read' }],
    ['a host that is out of reach, nobody says when', { code: 'EHOSTUNREACH' }],
    ['a reset', { code: 'ECONNRESET' }],
    ['a time-out of the connection that was made', { code: 'ETIMEDOUT', syscall: 'read' }],
    ['another code that holds one of them', { code: 'GIFT_CERTIFICATES' }],
    ['no code', {}],
  ])('with %s may have arrived, and is sent once', async (_name, fields) => {
    for (const reason of [coded('read failed', fields), fetchFailed(coded('', fields))]) {
      const { error, sent } = await postFailingWith(reason)
      expect(error).toMatchObject({ code: 'network_failed', mayHaveArrived: true })
      expect(sent).toBe(1)
    }
  })

  it.each(['no such table: GIFT_CERTIFICATES', 'upstream said: connect ECONNREFUSED 10.0.0.1:443'])(
    'with a message that reads %j may have arrived all the same',
    async (message) => {
      for (const reason of [
        coded(message),
        coded(message, { code: 'ECONNRESET' }),
        fetchFailed(coded(message, { code: 'UND_ERR_SOCKET' })),
        { message, name: message },
        message,
      ]) {
        const { error, sent } = await postFailingWith(reason)
        expect(error).toMatchObject({ name: 'NetworkError', mayHaveArrived: true })
        expect(sent).toBe(1)
      }
    },
  )

  it.each<[string, object]>([
    ['a refused connection', { code: 'ECONNREFUSED', syscall: 'connect' }],
    ['a refused connection on Bun', { code: 'ConnectionRefused' }],
    ['a name that is unknown', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
    ['a name that cannot be asked for', { code: 'EAI_AGAIN' }],
    ['a host to which there is no way', { code: 'EHOSTUNREACH', syscall: 'connect' }],
    ['a network to which there is no way', { code: 'ENETUNREACH', syscall: 'connect' }],
    ['a connection that takes too long', { code: 'UND_ERR_CONNECT_TIMEOUT' }],
    ['a certificate that has expired', { code: 'CERT_HAS_EXPIRED' }],
    ['a certificate of another host', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
  ])('with %s was never sent, and is tried again', async (_name, fields) => {
    const failed = coded('could not connect', fields)
    for (const reason of [failed, fetchFailed(failed), fetchFailed(coded('', { cause: failed }))]) {
      const { error, sent } = await postFailingWith(reason)
      expect(error).toMatchObject({ code: 'network_failed', mayHaveArrived: false })
      expect(sent).toBe(3)
    }
  })

  it.each([
    ['GET', false, ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']],
    ['PUT', true, ['ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED']],
  ])('%s whose last attempt was never sent may have arrived before: %s', async (method, lost, codes) => {
    const service = await openService()
    const fetch = () => Promise.reject(coded('', { code: codes.shift() }))
    const { request } = clientOf(service, { tokenStore: await storeWithToken(service), fetch })
    expect(await failureOf(request({ method, path: thing }))).toMatchObject({ mayHaveArrived: lost })
  })

  it('whose error is its own cause may have arrived', async () => {
    const reason = new Error('round and round')
    reason.cause = reason
    const { error, sent } = await postFailingWith(reason)
    expect(error).toMatchObject({ code: 'network_failed', mayHaveArrived: true })
    expect(sent).toBe(1)
  })
})

describe('a grant that gets no response', () => {
  const calls = (client: ReturnType<typeof clientOf>) => [
    client.request({ method: 'POST', path: thing, body: {} }),
    client.webhooks.create(wanted),
    client.hello(),
  ]

  it('before the first request: mayHaveArrived is false', async () => {
    const { service, client } = await openClient({}, { timeoutMs: 60, maxRetries: 0 })
    service.on(TOKEN, hang)
    for (const error of await Promise.all(calls(client).map(failureOf))) {
      expect(error).toMatchObject({ code: 'network_timeout', mayHaveArrived: false })
    }
    expect(service.calls).toEqual([])
  })

  it.each(['expired', 'invalid'] as const)(
    'for a token that was %s: the request was rejected, and mayHaveArrived is false',
    async (state) => {
      const service = await openService()
      const tokenStore = await storeWithToken(service)
      service.grants.setAccessTokens(state)
      const client = clientOf(service, { tokenStore, maxRetries: 0 })
      service.on(TOKEN, Array(9).fill(cutBefore))
      for (const error of await Promise.all(calls(client).map(failureOf))) {
        expect(error).toMatchObject({ code: 'network_failed', mayHaveArrived: false })
      }
      expect(service.calls.filter((route) => route.startsWith('POST'))).toHaveLength(2)
      expect(service.webhooks.configurations).toEqual([])
    },
  )

  it('for a token that expired after a lost response: mayHaveArrived is true', async () => {
    const { service, client } = await openClient()
    await client.token()
    service.on(`PUT ${thing}`, [applyThenCut, respond(401)])
    service.on(TOKEN, Array(3).fill(cutBefore))
    const error = await failureOf(client.request({ method: 'PUT', path: thing, body: {} }))
    expect(error).toMatchObject({ code: 'network_failed', mayHaveArrived: true })
    expect(service.calls).toEqual([`PUT ${thing}`, `PUT ${thing}`])
  })

  it.each([
    ['PUT', true],
    ['GET', false],
  ])('for a token that expired after a lost response, but another error: %s', async (method, mayHave) => {
    const { service, client } = await openClient()
    await client.token()
    service.on(`${method} ${thing}`, [applyThenCut, respond(401)])
    service.on(TOKEN, Array(3).fill(respond(503)))
    const error = await failureOf(client.request({ method, path: thing }))
    expect(error).toMatchObject({ code: 'token_endpoint_failed', status: 503 })
    expect(error.message.includes('The first request may have taken effect')).toBe(mayHave)
  })

  it('for a call that had a lost response and is never sent again: mayHaveArrived is true', async () => {
    const service = await openService()
    let fetches = 0
    const fetch: typeof globalThis.fetch = async (...call) => {
      // The grant, two attempts, another grant.
      if (++fetches > 4) throw coded('', { code: 'ECONNREFUSED' })
      return await globalThis.fetch(...call)
    }
    service.on(`PUT ${thing}`, [applyThenCut, respond(401)])
    const error = await failureOf(clientOf(service, { fetch }).request({ method: 'PUT', path: thing }))
    expect(error).toMatchObject({ code: 'network_failed', mayHaveArrived: true })
  })
})
