import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createRedaction } from '../../../src/client/http/redaction.ts'
import { toShownBody } from '../../../src/client/http/response.ts'

// Of words that occur nowhere else, so that a part of a secret is seen in whatever notation it is left.
const access = 'Kwqzjh+Bvxnmt/Rplkdf=Gzxcvw&Ytrwqp%41'
const refresh = 'Nhgbvf/Lkmjnb+Zaqxsw???Pfdkgj&Mcnvbx'
const clientSecret = 'Qmznxb+Wvtcrx/Eyghub=Ujmkil&!Olpzxc%2B'
const secrets = [access, refresh, clientSecret]
const words = secrets.flatMap((secret) => secret.split(/[^a-z]+/i)).filter((word) => word.length === 6)

/** The body of an error, of a client that knows these secrets. */
function bodyOf(text: string, { tooLarge = false, added = [access, refresh] } = {}) {
  const redaction = createRedaction(clientSecret)
  redaction.add(...added)
  const head = { requestId: undefined, status: 422, headers: new Headers(), retryAfterMs: undefined }
  return toShownBody({ ...head, text, tooLarge }, redaction)
}

const shown = (body: unknown) => inspect(body, { depth: 2_000 })

function expectNoWord(body: unknown): void {
  for (const word of words) expect(shown(body)).not.toContain(word)
}

/** Ways to write a text within the quotes of JSON. */
const spellings: [string, (text: string) => string][] = [
  ['plain', (text) => JSON.stringify(text).slice(1, -1)],
  ['with escapes', (text) => text.replace(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)],
  ['with %2B', encodeURIComponent],
  ['with %2b', (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase())],
  ['as a form does', (text) => String(new URLSearchParams({ x: text })).slice(2)],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64url', (text) => Buffer.from(text).toString('base64url')],
]

/** Places in JSON where it can stand. */
const places: [string, (spelled: string) => string][] = [
  ['text around it', (spelled) => `{"echo":"Bearer ${spelled}, and again ${spelled}"}`],
  ['a name within a name', (spelled) => `{"x-${spelled}":{"y-${spelled}":["${spelled}"]}}`],
  ['a list', (spelled) => `[[["${spelled}"],"${spelled}"]]`],
]

describe.each(spellings)('a secret that is sent back %s', (_name, spell) => {
  it.each(places)('in %s is redacted', (_place, place) => {
    for (const secret of secrets) {
      const body = bodyOf(`{"message":"kept","echo":${place(spell(secret))}}`)
      expect(body).toMatchObject({ message: 'kept' })
      expect(shown(body)).toContain('[redacted]')
      expect(shown(body)).not.toContain(spell(secret))
      expectNoWord(body)
    }
  })
})

it('a secret that begins with another one is redacted completely', () => {
  const longer = `${access}-Jvqwhz`
  const body = bodyOf(JSON.stringify({ echo: `<${longer}> <${access}>` }), { added: [access, longer] })
  expect(body).toEqual({ echo: '<[redacted]> <[redacted]>' })
})

it('a token is forgotten after a hundred newer ones, and the application\u2019s secrets never', () => {
  const redaction = createRedaction(clientSecret)
  for (let count = 0; count <= 100; count++) redaction.add(`token-${count}-of-many`)
  const redacted = redaction.redact(`token-0-of-many, token-1-of-many, ${clientSecret}`)
  expect(redacted).toBe('token-0-of-many, [redacted], [redacted]')
})

describe('tokens that the client does not know', () => {
  const stranger = 'Wqxzjk-Vbnmhg'
  const url = `https://other.example/hook?a=1&token=${stranger}&b=2`

  it.each<[string, string, string]>([
    ['the URL of a configuration', JSON.stringify({ a: { callbackUrl: url } }), '?a=1&token=[redacted]&b=2'],
    ['a URL in a sentence', JSON.stringify({ message: `${url} is taken` }), 'token=[redacted]&b=2 is taken'],
    ['a URL as a name', JSON.stringify({ [url]: 1 }), 'token=[redacted]&b=2'],
    ['a URL in HTML', `<a href="${url.replaceAll('&', '&amp;')}">`, '?a=1&amp;token=[redacted]&amp;b=2'],
    ['a URL in truncated JSON', JSON.stringify({ url }).slice(0, -8), '?a=1&token=[redacted]'],
    ['a form', `access_token=${stranger}&token_type=bearer&refresh_token=${stranger}`, '&token_type=bearer&'],
    ['a token response', JSON.stringify([{ access_token: stranger, token_type: 'bearer' }]), "'bearer'"],
    [
      'a truncated token response further down',
      `[{"token_type":"bearer","accessToken":"${stranger}","refresh_token" : "${stranger.slice(0, 8)}`,
      '"accessToken":"[redacted]","refresh_token" : "[redacted]',
    ],
    [
      'a token response in a text',
      JSON.stringify({ a: JSON.stringify({ access_token: stranger }) }),
      '[redacted]',
    ],
  ])('are redacted in %s', (_name, text, kept) => {
    expect(shown(bodyOf(text))).toContain(kept)
    expect(shown(bodyOf(text))).not.toContain(stranger.slice(0, 6))
  })

  it('but sentences about tokens are not redacted', () => {
    const body = { message: 'Token: expired', error: 'expired_token', token_type: 'bearer' }
    expect(bodyOf(JSON.stringify(body))).toEqual(body)
  })
})

it('secrets in text that is not JSON are redacted', () => {
  const body = bodyOf(secrets.map((secret) => `<p>kept "${secret}"</p>`).join('\n'))
  expect(body).toBe(Array(3).fill('<p>kept "[redacted]"</p>').join('\n'))
})

it.each<[string, (text: string) => string]>([
  ['plain', (text) => text],
  ['in a URL', encodeURIComponent],
])('nothing is left of a secret in the middle of which a body is cut off: %s', (_name, spell) => {
  const before = `{"message":"${'kept '.repeat(60)}","echo":"`
  const spelled = spell(access)
  for (let length = 1; length < spelled.length; length++) {
    const body = bodyOf(before + spelled.slice(0, length), { tooLarge: true })
    expect(body).toContain('kept kept')
    // Four characters, as anything less is in every other text.
    if (length >= 4) expect(body).not.toContain(access.slice(0, 4))
    expectNoWord(body)
  }
})

describe('a body in JSON', () => {
  const nested = (depth: number) => [
    `${'['.repeat(depth)}"${access}"${']'.repeat(depth)}`,
    `${'{"a":'.repeat(depth)}"${access}"${'}'.repeat(depth)}`,
  ]

  it('of 1,000 levels is redacted on every level', () => {
    for (const text of nested(1_000)) {
      let body = bodyOf(text)
      let found = 0
      for (; typeof body === 'object' && body !== null; found++) body = Object.values(body)[0]
      expect([body, found]).toEqual(['[redacted]', 1_000])
    }
  })

  it('of 5,000 levels is cut off, so that the error can be logged', () => {
    for (const text of nested(5_000)) {
      expect(JSON.stringify(bodyOf(text))).toContain('more than 1000 levels')
      expectNoWord(bodyOf(text))
    }
  })

  it('keeps a property named __proto__', () => {
    const body = bodyOf('{"__proto__":{"polluted":true},"b":{"c":1e2}}') as Record<string, unknown>
    expect(Object.keys(body)).toEqual(['__proto__', 'b'])
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
    expect(body.polluted).toBeUndefined()
    expect(body.b).toEqual({ c: 100 })
  })
})

it.each(['\\'.repeat(200), `${'\\'.repeat(60)}${'+'.repeat(60)}`, '\\u002b'.repeat(30)])(
  'a code of %s does not slow down redaction',
  (code) => {
    const almost = JSON.stringify({ error: 'invalid_grant', error_description: `${code.slice(0, -1)}?` })
    expect(bodyOf(almost, { added: [code] })).toMatchObject({ error: 'invalid_grant' })
    const text = `Unknown code ${code}, or ${JSON.stringify(code)}`
    expect(bodyOf(text, { added: [code] })).not.toContain(code)
  },
)
