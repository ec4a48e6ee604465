import { describe, expect, it } from 'vitest'
import { type ClientOptions, createClient } from '../../../src/client/index.ts'

const open = (options: Partial<ClientOptions> = {}) =>
  createClient({
    baseUrl: 'https://pay.example',
    clientId: 'app&id=1',
    clientSecret: 'client-secret-1',
    ...options,
  })

describe('authorizeUrl', () => {
  it('has the three parameters, encoded', () => {
    const url = new URL(open().authorizeUrl({ redirectUri: 'https://app.example/back?a=1&b=é#x' }))
    expect(`${url.origin}${url.pathname}`).toBe('https://pay.example/oauth/authorize')
    expect([...url.searchParams].sort()).toEqual([
      ['client_id', 'app&id=1'],
      ['redirect_uri', 'https://app.example/back?a=1&b=é#x'],
      ['response_type', 'code'],
    ])
    expect(url.hash).toBe('')
    expect(url.search).toContain('redirect_uri=https%3A%2F%2Fapp.example%2Fback%3Fa%3D1%26b%3D%C3%A9%23x')
  })

  it('has a state', () => {
    const url = new URL(open().authorizeUrl({ redirectUri: 'https://app.example/', state: 'a&b c' }))
    expect(url.searchParams.get('state')).toBe('a&b c')
    expect(url.searchParams.size).toBe(4)
  })

  it.each([
    ['https://pay.example/gateway/', undefined, 'https://pay.example/gateway/oauth/authorize'],
    ['https://pay.example', '/login', 'https://pay.example/login'],
    ['https://pay.example/v2', '/a/b', 'https://pay.example/v2/a/b'],
  ])('goes from %s and %s to %s', (baseUrl, authorizePath, expected) => {
    const client = open({ baseUrl, ...(authorizePath !== undefined && { authorizePath }) })
    const url = new URL(client.authorizeUrl({ redirectUri: 'https://app.example/' }))
    expect(`${url.origin}${url.pathname}`).toBe(expected)
  })

  it.each([{}, { redirectUri: '' }, { redirectUri: 7 }, { redirectUri: 'https://a.example/', state: 7 }])(
    'rejects %j',
    (options) => {
      expect(() => open().authorizeUrl(options as never)).toThrow(TypeError)
    },
  )
})
