import { describe, expect, it } from 'vitest'
import { openSandbox } from '../open-sandbox.ts'
import { authorizeUrl } from './browser.ts'
import { exchange, read, type TokenAnswer } from './http-calls.ts'

describe('sandbox.consent', () => {
  it('returns a code and the state, as if the first user had consented', async () => {
    const sandbox = await openSandbox()
    const back = sandbox.consent(authorizeUrl(sandbox, { state: 'a b&c' }).href)
    expect(back).toMatch(/^http:\/\/localhost:3000\/callback\?code=[\w-]{43}&state=a%20b%26c$/)
    const code = new URL(back).searchParams.get('code') ?? ''
    const token = await read<TokenAnswer>(await exchange(sandbox, code))
    expect(String(token.account_id)).toBe(sandbox.users[0].accountId)
    // A code is valid once.
    expect((await exchange(sandbox, code)).status).toBe(400)
    expect(sandbox.requests().map(({ path }) => path)).toEqual(['/oauth/token', '/oauth/token'])
  })

  it('rejects a URL of another page, under any address of the sandbox', async () => {
    const sandbox = await openSandbox()
    const url = authorizeUrl(sandbox)
    url.host = 'sandbox.internal:4010'
    expect(sandbox.consent(url.href)).toContain('code=')
    url.pathname = '/oauth/typo'
    expect(() => sandbox.consent(url.href)).toThrow(/"authorizeUrl" is not the authorize page/)
  })

  it.each<[string, Record<string, string>, RegExp]>([
    ['another client', { client_id: 'x' }, /^"authorizeUrl" is invalid: The client_id is not/],
    ['another redirect_uri', { redirect_uri: 'http://x/' }, /^"authorizeUrl" is invalid: The redirect_uri/],
  ])('rejects %s, like the page', async (_what, parameters, message) => {
    const sandbox = await openSandbox()
    const url = authorizeUrl(sandbox, parameters).href
    expect(() => sandbox.consent(url)).toThrow(TypeError)
    expect(() => sandbox.consent(url)).toThrow(message)
  })

  it('rejects an invalid URL or user', async () => {
    const sandbox = await openSandbox()
    for (const url of ['/oauth/authorize', '', undefined])
      expect(() => sandbox.consent(url as string)).toThrow(/^"authorizeUrl" must be an absolute URL$/)
    const stranger = { ...sandbox.users[0] }
    for (const user of [stranger, null, 'ada@example.com'])
      expect(() => sandbox.consent(authorizeUrl(sandbox).href, user as typeof stranger)).toThrow(
        new TypeError('"user" must be one of the users of the sandbox'),
      )
  })

  it('knows two users, which cannot be changed', async () => {
    const { users } = await openSandbox()
    expect(users).toHaveLength(2)
    expect(users[0].accountId).not.toBe(users[1].accountId)
    expect(() => Object.assign(users[0], { password: 'x' })).toThrow(TypeError)
    expect(() => (users as unknown as object[]).pop()).toThrow(TypeError)
  })
})
