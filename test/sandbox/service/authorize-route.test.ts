import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { createSandbox } from '../open-sandbox.ts'
import { authorizeUrl, consent, openAuthorizePage, submit, toPage } from './browser.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({
    redirectUris: [
      'http://localhost:3000/callback',
      'https://example.com/cb?tenant=a%20b',
      'com.example.app:/done',
      'https://example.com?sig=a%20b%2F~(x)&flag',
      'com.example.app:done?x=%7E&',
      'http://localhost:3000/bare?',
    ],
  })
})
afterAll(() => sandbox.close())

const EVIL = `"'><script>alert(1)</script>&amp;\r\nX-Evil: 1\u0000é😀`

async function logIn(url: URL, user = 0) {
  const { email = '', password = '' } = sandbox.users[user] ?? {}
  return await toPage(
    await submit(await openAuthorizePage(url), sandbox.url, { step: 'login', email, password }),
  )
}

describe('the authorize call', () => {
  it('asks for login and consent, then redirects with a code', async () => {
    const login = await openAuthorizePage(authorizeUrl(sandbox))
    expect(login.status).toBe(200)
    expect(login.text).toContain('<html lang="en">')
    expect(login.text).toMatch(/<title>Log in/)
    for (const { email, password } of sandbox.users) {
      expect(login.text).toContain(email)
      expect(login.text).toContain(password)
    }
    const question = await logIn(authorizeUrl(sandbox), 1)
    expect(question.text).toContain(sandbox.users[1]?.name)
    expect(question.text).toContain(sandbox.clientId)
    expect(question.text).toContain('<code>http://localhost:3000/callback</code>')
    const answer = await submit(question, sandbox.url, { step: 'allow' })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('location')).toMatch(/^http:\/\/localhost:3000\/callback\?code=[\w-]{43}$/)
  })

  it.each([0, 1])('logs a user in and allows in one click: user %d', async (index) => {
    const user = sandbox.users[index]
    const login = await openAuthorizePage(authorizeUrl(sandbox, { state: 's' }))
    const [first = ''] = user?.name.split(' ') ?? []
    const [, ticket = ''] =
      new RegExp(`name="as" value="([^"]+)">Continue as ${first}<`).exec(login.text) ?? []
    const answer = await submit(login, sandbox.url, { as: ticket })
    expect(answer.headers.get('location')).toMatch(
      /^http:\/\/localhost:3000\/callback\?code=[\w-]{43}&state=s$/,
    )
    // Its ticket is spent.
    expect((await submit(login, sandbox.url, { as: ticket })).status).toBe(400)
  })

  it.each(['1', 'a b&c=d#e', EVIL])('returns the state unchanged: %j', async (state) => {
    const location = await consent(sandbox, authorizeUrl(sandbox, { state }))
    expect(location.searchParams.get('state')).toBe(state)
    expect(location.searchParams.getAll('code')).toHaveLength(1)
    expect(location.hash).toBe('')
  })

  it('ignores empty parameters', async () => {
    const location = await consent(sandbox, authorizeUrl(sandbox, { scope: '', state: '' }))
    expect([...location.searchParams.keys()]).toEqual(['code'])
  })

  it.each([
    ['https://example.com?sig=a%20b%2F~(x)&flag', '&'],
    ['com.example.app:/done', '?'],
    ['com.example.app:done?x=%7E&', ''],
    ['http://localhost:3000/bare?', ''],
  ])('only appends to %s', async (redirectUri, link) => {
    const url = authorizeUrl(sandbox, { redirect_uri: redirectUri, state: 'a b+c' })
    const answer = await submit(await logIn(url), sandbox.url, { step: 'allow' })
    const [code] = /(?<=code=)[\w-]{43}/.exec(answer.headers.get('location') ?? '') ?? []
    expect(answer.headers.get('location')).toBe(`${redirectUri}${link}code=${code}&state=a%20b%2Bc`)
    for (const page of [await openAuthorizePage(url), await logIn(url)]) {
      const denied = await submit(page, sandbox.url, { step: 'deny' })
      expect(denied.headers.get('location')).toBe(
        `${redirectUri}${link}error=access_denied&error_description=The%20user%20denied%20access&state=a%20b%2Bc`,
      )
    }
  })

  it('asks again after wrong credentials, and tells screen readers', async () => {
    const page = await openAuthorizePage(authorizeUrl(sandbox))
    for (const [email, password] of [
      ['ada@example.com', 'wrong'],
      ['nobody@example.com', 'ada-sandbox'],
      ['ada@example.com', 'ben-sandbox'],
      ['', ''],
      [EVIL, EVIL],
    ] as const) {
      const again = await toPage(await submit(page, sandbox.url, { step: 'login', email, password }))
      expect(again.status).toBe(400)
      expect(again.text).toContain('role="alert"')
      expect(again.text).not.toContain('<script')
      expect(again.hidden).toEqual({})
    }
  })
})

describe('the login', () => {
  it('ignores case and surrounding spaces of the e-mail, but not of the password', async () => {
    const page = await openAuthorizePage(authorizeUrl(sandbox))
    const [{ password, name }] = sandbox.users
    const email = ' Ada@Example.COM\t'
    const question = await toPage(await submit(page, sandbox.url, { step: 'login', email, password }))
    expect(question.text).toContain(`<strong>${name}</strong>`)
    for (const wrong of [` ${password}`, password.toUpperCase()]) {
      const again = await submit(page, sandbox.url, { step: 'login', email, password: wrong })
      expect(again.status).toBe(400)
    }
  })

  it('keeps the e-mail if it asks again', async () => {
    const page = await openAuthorizePage(authorizeUrl(sandbox))
    const fields = { step: 'login', email: 'a"b@example.com', password: 'wrong' }
    const again = await toPage(await submit(page, sandbox.url, fields))
    expect(again.text).toContain(
      'name="email" type="email" autocomplete="username" required autofocus value="a&quot;b@example.com"',
    )
    expect(again.text).not.toContain('value="wrong"')
  })
})

it('consent requires a login for the same request, and uses it up', async () => {
  const url = authorizeUrl(sandbox)
  const question = await logIn(url)
  const bare = { ...question, hidden: {} }
  for (const ticket of ['', 'x', '__proto__', 'constructor']) {
    const answer = await submit(bare, sandbox.url, { step: 'allow', ticket })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('location')).toBeNull()
  }
  const other = { ...question, action: authorizeUrl(sandbox, { state: 'other' }).href }
  expect((await submit(other, sandbox.url, { step: 'allow' })).status).toBe(400)
  // The attempt to use it for something else has used it up.
  expect((await submit(question, sandbox.url, { step: 'allow' })).status).toBe(400)
  const fresh = await logIn(url)
  expect((await submit(fresh, sandbox.url, { step: 'allow' })).status).toBe(303)
  expect((await submit(fresh, sandbox.url, { step: 'allow' })).status).toBe(400)
})

describe('an invalid request', () => {
  it.each<[string, Record<string, string>]>([
    ['another client', { client_id: 'other' }],
    ['no client', { client_id: '' }],
    ['another redirect_uri', { redirect_uri: 'http://localhost:3000/other' }],
    ['a redirect_uri with a line break', { redirect_uri: 'http://localhost:3000/callback\r\nX: 1' }],
    ['hostile ones', { redirect_uri: EVIL, client_id: EVIL, state: EVIL, response_type: EVIL }],
  ])('gets a 400 page, never a redirect: %s', async (_what, parameters) => {
    const url = authorizeUrl(sandbox, parameters)
    for (const init of [{}, { method: 'POST', body: new URLSearchParams({ step: 'deny' }) }]) {
      const answer = await fetch(url, { ...init, redirect: 'manual' })
      expect(answer.status).toBe(400)
      expect(answer.headers.get('location')).toBeNull()
      expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
      expect(await answer.text()).not.toContain('<script')
    }
  })

  it('gets a 400 page: a repeated redirect_uri', async () => {
    const url = authorizeUrl(sandbox)
    url.searchParams.append('redirect_uri', 'http://evil.example/')
    expect((await openAuthorizePage(url)).status).toBe(400)
  })

  it.each([
    ['no response_type', { response_type: '' }, 'invalid_request'],
    ['response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
    ['response_type=toString', { response_type: 'toString' }, 'unsupported_response_type'],
    ['another scope', { scope: 'admin' }, 'invalid_scope'],
  ])('is reported to the application: %s', async (_what, parameters, error) => {
    const url = authorizeUrl(sandbox, {
      state: 's',
      redirect_uri: 'https://example.com/cb?tenant=a%20b',
      ...parameters,
    })
    const answer = await fetch(url, { redirect: 'manual' })
    expect(answer.status).toBe(302)
    const location = new URL(answer.headers.get('location') ?? '')
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ error, state: 's', tenant: 'a b' })
  })
})

it('every page escapes its values, and forbids scripts, frames and caching', async () => {
  const url = authorizeUrl(sandbox, { state: EVIL, '"><script>': EVIL })
  const pages = [
    await openAuthorizePage(url),
    await logIn(url),
    await openAuthorizePage(authorizeUrl(sandbox, { client_id: EVIL })),
  ]
  for (const { headers, text } of pages) {
    expect(text).not.toContain('<script')
    expect(text).not.toContain('X-Evil: 1')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    // It would also apply to the redirect target of the callback.
    expect(policy).not.toContain('form-action')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-evil')).toBeNull()
  }
})
