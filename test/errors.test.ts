import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { isPayhookError, PayhookError, PayloadError, RequestError, SignatureError } from '../src/index.ts'

const error = new SignatureError('signature_missing', 'There is none.')

it('an error has a code, a status and whether it may be exposed', () => {
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

it('an error prints its code but not its brand', () => {
  expect(inspect(error)).toContain("code: 'signature_missing'")
  expect(inspect(error)).not.toContain('Symbol')
})

it('an error is recognised across copies of the package', async () => {
  const path = '../src/errors.ts'
  const copy: typeof import('../src/errors.ts') = await import(`${path}?copy`)
  const foreign = new copy.PayloadError('payload_not_json', '')
  expect(foreign).not.toBeInstanceOf(PayhookError)
  expect(isPayhookError(foreign)).toBe(true)
})

const { proxy: unreadable, revoke } = Proxy.revocable({}, {})
revoke()
const withoutCode = {
  [Symbol.for('payhook.error')]: true,
  get code() {
    throw new Error('there is none')
  },
}

it.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['a text', 'x'],
  ['an empty object', {}],
  ['any other error', new Error('x')],
  ['what only looks like one', { code: 'signature_missing', status: 401 }],
  ['what cannot be read', unreadable],
  ['what answers true to everything', new Proxy({}, { get: () => true })],
  ['what has a code that cannot be read', withoutCode],
])('%s is not recognised', (_what, value) => {
  expect(isPayhookError(value)).toBe(false)
})
