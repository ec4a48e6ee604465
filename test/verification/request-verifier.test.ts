import { describe, expect, it } from 'vitest'
import {
  createRequestVerifier,
  type VerifierOptions,
  type WebhookHeaders,
  type WebhookRequest,
} from '../../src/verification/request-verifier.ts'
import { toClientKey } from '../../src/verification/signature.ts'
import { clients, fixture } from '../fixture-cases.ts'

const { body, signature } = fixture('outbound-payment-stringified')
const good = String(signature)
const signed = { 'access-signature': good }

/** The result of verifying a request, or the error. */
function verify(request: Partial<WebhookRequest>, options: Partial<VerifierOptions> = {}) {
  const verifier = createRequestVerifier({ clientId: clients.default, ...options })
  return verifier.verify({ method: 'POST', url: '/', headers: signed, body, ...request }).then(
    ({ context }) => context.signature,
    (error) => error,
  )
}

describe('the body of a request', () => {
  it('that cannot be read is reported with the cause', async () => {
    const cause = new Error('of the socket')
    expect(await verify({ body: () => Promise.reject(cause) })).toMatchObject({
      code: 'body_incomplete',
      message: 'The body could not be read.',
      cause,
    })
  })

  it('that does not end in time is reported without a cause', async () => {
    const error = await verify({ body: () => new Promise(() => {}) }, { bodyTimeoutMs: 1 })
    expect(error).toMatchObject({ code: 'body_incomplete', message: 'The body did not end within 1 ms.' })
    expect(error).not.toHaveProperty('cause')
  })
})

describe('the Content-Encoding of a request', () => {
  it.each(['', 'identity', ' Identity ', 'identity, identity', 'identity,'])(
    'may be %j',
    async (encoding) => {
      expect(await verify({ headers: { ...signed, 'content-encoding': encoding } })).toBe(good)
    },
  )

  it.each(['gzip', 'identity, gzip', 'gzip, identity', 'identityx', 'x-identity'])(
    'may not be %j',
    async (encoding) => {
      const error = await verify({ headers: { ...signed, 'content-encoding': encoding } })
      expect(error).toMatchObject({ code: 'content_encoding_unsupported' })
    },
  )
})

describe('the Content-Length of a request', () => {
  const length = (value: string) => ({ ...signed, 'content-length': value })

  it('refuses a body that is too long before it is read', async () => {
    const read = () => Promise.reject(new Error('was read'))
    expect(await verify({ headers: length('1048577'), body: read })).toMatchObject({ code: 'body_too_large' })
    expect(await verify({ headers: length('1048576') })).toBe(good)
  })

  it.each(['+9999999', '9999999.5', '9e9', 'x', '9999999x'])(
    'means nothing if it is not a number of bytes: %s',
    async (value) => {
      expect(await verify({ headers: length(value) })).toBe(good)
    },
  )
})

describe('a header of a request', () => {
  it.each<[WebhookHeaders, string]>([
    [{ 'ACCESS-SIGNATURE': good }, 'ok'],
    [{ 'Access-Signature': [good] }, 'ok'],
    [{ 'ACCESS-SIGNATURE': undefined, 'access-signature': good }, 'ok'],
    [{ 'ACCESS-SIGNATURE': good, 'access-signature': undefined }, 'ok'],
    [new Headers(signed), 'ok'],
    [{ 'ACCESS-SIGNATURE': good, 'access-signature': good }, 'signature_malformed'],
    [{ 'access-signature': [good, good] }, 'signature_malformed'],
    [new Headers(Array(2).fill(['access-signature', good])), 'signature_malformed'],
    [{}, 'signature_missing'],
  ])(
    'is found in any letter case, and is several headers if it has several values: %o',
    async (headers, code) => {
      const result = await verify({ headers })
      expect(result === good ? 'ok' : result.code).toBe(code)
    },
  )
})

it('the keys of client ids are cached, but not all of them', () => {
  const key = toClientKey('one')
  toClientKey('another')
  expect(toClientKey('one')).toBe(key)
  for (let index = 0; index < 300; index++) toClientKey(`client-${index}`)
  expect(toClientKey('one')).not.toBe(key)
})
