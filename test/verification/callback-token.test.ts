import { describe, expect, it } from 'vitest'
import { createReceiver, withCallbackToken } from '../../src/index.ts'
import { clients, fixture } from '../fixture-cases.ts'

describe('withCallbackToken', () => {
  it.each([
    ['https://shop.example/in', 'abc', 'https://shop.example/in?token=abc'],
    ['https://shop.example/in?a=b#c', 'x y&z', 'https://shop.example/in?a=b&token=x+y%26z#c'],
    ['https://shop.example/in?token=old', 'new', 'https://shop.example/in?token=new'],
  ])('adds the token to %s', (url, token, expected) => {
    expect(withCallbackToken(url, token)).toBe(expected)
  })

  it.each(['a-token-of-plain-letters', 'a+b c/d=&?#é% and more', '💶💶💶💶💶💶💶💶'])(
    'returns a URL that a receiver with the token %j accepts',
    async (token) => {
      const { body, signature } = fixture('outbound-payment-stringified')
      const { pathname, search } = new URL(withCallbackToken('https://shop.example/in', token))
      const receiver = createReceiver({ clientId: clients.default, callbackToken: token })
      const reply = await receiver.receive({
        method: 'POST',
        url: pathname + search,
        headers: { 'access-signature': String(signature) },
        body,
      })
      expect(reply.status).toBe(200)
    },
  )

  it('rejects an empty token and a relative URL', () => {
    expect(() => withCallbackToken('https://shop.example', '')).toThrow(
      new TypeError('"token" must be a non-empty string'),
    )
    expect(() => withCallbackToken('https://shop.example', undefined as never)).toThrow(
      '"token" must be a non-empty string, but it is undefined. Is the environment variable set?',
    )
    expect(() => withCallbackToken('/in', 'abc')).toThrow('"url" must be an absolute URL')
  })
})

it.each([
  { clientId: undefined },
  { clientId: [undefined] },
  // biome-ignore lint/suspicious/noSparseArray: a comma too many
  { clientId: [, 'a'] },
  { clientId: 'a', callbackToken: undefined },
  { clientId: 'a', callbackToken: [undefined] },
  { clientId: 'a', callbackToken: ['a-token-of-plain-letters', undefined] },
])('asks whether the variable is set, and does not advise to drop a protection: %j', (options) => {
  expect(() => createReceiver(options as never)).toThrow(/undefined\. Is the environment variable set\?$/)
  expect(() => createReceiver(options as never)).not.toThrow(/leave/)
})
