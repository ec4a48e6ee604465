import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isPayhookError, PayhookError, PayloadError, RequestError, SignatureError } from '../src/index.ts'

describe('PayhookError', () => {
  const error = new SignatureError('signature_missing', 'There is none.')

  it('has a code, a status and whether it may be exposed', () => {
    expect(error).toMatchObject({
      name: 'SignatureError',
      code: 'signature_missing',
      status: 401,
      expose: true,
    })
    expect(new RequestError('body_consumed', '')).toMatchObject({ status: 500, expose: false })
    expect(error).toBeInstanceOf(PayhookError)
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(PayloadError)
    expect(error.stack).toContain('SignatureError: There is none.')
  })

  it('prints its code but not its brand', () => {
    expect(inspect(error)).toContain("code: 'signature_missing'")
    expect(inspect(error)).not.toContain('Symbol')
  })

  it('is recognised across copies of the package', async () => {
    const path = '../src/errors.ts'
    const copy: typeof import('../src/errors.ts') = await import(`${path}?copy`)
    const foreign = new copy.PayloadError('payload_not_json', '')
    expect(foreign).not.toBeInstanceOf(PayhookError)
    expect(isPayhookError(foreign)).toBe(true)
  })

  it.each([undefined, null, 'x', {}, new Error('x'), { code: 'signature_missing', status: 401 }])(
    'does not recognise %s',
    (value) => {
      expect(isPayhookError(value)).toBe(false)
    },
  )

  it.each<[string, object]>([
    ['cannot be read', revokedProxy()],
    ['answers true to everything', new Proxy({}, { get: () => true })],
    ['has a code that cannot be read', brandedWithoutCode()],
  ])('does not recognise what %s', (_what, value) => {
    expect(isPayhookError(value)).toBe(false)
  })
})

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function brandedWithoutCode(): object {
  return {
    [Symbol.for('payhook.error')]: true,
    get code() {
      throw new Error('there is none')
    },
  }
}
