import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sign, verify, verifyAndParse } from '../../src/index.ts'
import { clients, fixture, fixtureCases } from '../fixture-cases.ts'

const { body, signature } = fixture('outbound-payment-stringified')
const clientId = clients.default
const good = String(signature)

it.each(fixtureCases.filter((one) => !('code' in one.expect) && one.name !== 'second-client'))(
  'sign returns the signature that another program computed: $name',
  ({ body, signature }) => {
    expect(sign({ body, clientId })).toBe(signature)
  },
)

describe('verify', () => {
  it('accepts the header in the form of any framework', () => {
    expect(verify({ body, signature: good, clientId })).toBe(true)
    expect(verify({ body, signature: [good], clientId })).toBe(true)
  })

  it.each<[string, string | string[] | null | undefined]>([
    ['undefined', undefined],
    ['null', null],
    ['an empty string', ''],
    ['an empty list', []],
    ['two', [good, good]],
    ['a nested list', [[good]] as never],
    ['a comma', `${good},${good}`],
    ['upper case', good.toUpperCase()],
    ['63 digits', good.slice(1)],
    ['65 digits', `${good}0`],
    ['a line break', `${good}\n`],
    ['a prefix', `sha256=${good}`],
    ['full-width digits', good.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))],
    [
      'code points with the right low byte',
      [...good].map((one) => String.fromCharCode(0x100 + one.charCodeAt(0))).join(''),
    ],
    ['a number', 64 as never],
    ['an object that prints as the signature', { toString: () => good, length: 64 } as never],
  ])('does not accept %s as a signature', (_name, value) => {
    expect(verify({ body, signature: value, clientId })).toBe(false)
  })

  it('rejects a body with any single byte changed', () => {
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Uint8Array.from(body)
        changed[at] = (changed[at] as number) ^ change
        return !verify({ body: changed, signature: good, clientId })
      }),
    )
  })

  it('compares with every client id', () => {
    for (const known of [['x', clientId], [clientId, 'x'], [clientId]]) {
      expect(verify({ body, signature: good, clientId: known })).toBe(true)
    }
    expect(verify({ body, signature: good, clientId: ['x', 'y'] })).toBe(false)
  })

  it.each([
    ['an empty one', ''],
    ['an empty list', []],
    ['an empty one in a list', [clientId, '']],
    ['one with the line break of a file', `${clientId}\n`],
    ['none', undefined],
  ])('rejects %s as client id', (_name, value) => {
    expect(() => verify({ body, signature: good, clientId: value as string })).toThrow(TypeError)
  })

  it.each([
    ['a parsed object', {}],
    ['a parsed array', []],
    ['null', null],
    ['number', 7],
    ['undefined', undefined],
  ])('rejects %s as body and says what to do', (name, value) => {
    const call = () => verifyAndParse({ body: value as never, signature: good, clientId })
    expect(call).toThrow(TypeError)
    expect(call).toThrow(`not ${name}. The signature covers those bytes`)
    expect(call).toThrow('mount payhook before the body parser')
  })
})

describe('the error of a malformed signature', () => {
  const base64 = Buffer.from(good, 'hex').toString('base64')

  it.each<[string, string | string[], string]>([
    ['Base64', base64, ' It is the right signature, but in Base64.'],
    ['Base64 without padding', base64.slice(0, -1), ' It is the right signature, but in Base64.'],
    ['upper case', [good.toUpperCase()], ' It is the right signature, but in upper case.'],
    ['a prefix', `sha256=${good}`, ' It is the right signature, but with the prefix "sha256=".'],
    ['a prefix and Base64', `SHA256=${base64}`, ' It is the right signature, but in Base64.'],
    ['Base64 of another one', Buffer.alloc(32).toString('base64'), ''],
    ['upper case of another one', 'A'.repeat(64), ''],
    ['two', [good, good], ''],
    ['an object', { toString: () => good } as never, ''],
    ['other characters', '\u0161'.repeat(64), ''],
  ])('says whether %s is the right one', (_form, signature, hint) => {
    const message = `The ACCESS-SIGNATURE header is not a single signature of 64 lowercase hexadecimal digits.${hint}`
    expect(() => verifyAndParse({ body, signature, clientId: ['other', clientId] })).toThrow(
      expect.objectContaining({ code: 'signature_malformed', message }),
    )
  })
})

describe('the error of a mismatch', () => {
  const failureOf = (other: string | Uint8Array): string => {
    try {
      verifyAndParse({ body: other, signature: 'f'.repeat(64), clientId })
    } catch (error) {
      return (error as Error).message
    }
    throw new Error('accepted')
  }

  it('names the length of the body, a proxy and payhook verify', () => {
    const message = failureOf(body)
    expect(message).toContain(`this body of ${body.length} bytes`)
    expect(message).toContain('a proxy changed it')
    expect(message).toContain('`payhook verify`')
  })

  it('names the byte order mark that a body may have lost, if it was passed as text', () => {
    const hint = 'The body was passed as text, which loses a byte order mark: pass the bytes.'
    expect(failureOf(body.toString())).toContain(hint)
    expect(failureOf(body)).not.toContain('as text')
  })

  it('names an empty body', () => {
    for (const empty of ['', new Uint8Array()]) {
      expect(failureOf(empty)).toMatch(/body of 0 bytes .* Was the body read before payhook saw it\?$/)
    }
  })

  it('names a body in Base64', () => {
    const base64 = body.toString('base64')
    for (const encoded of [base64, Buffer.from(base64), Buffer.from('{\n  "type": 1}').toString('base64')]) {
      expect(failureOf(encoded)).toMatch(/ The body is in Base64: decode it first\.$/)
    }
    expect(failureOf('eyes are not Base64')).not.toContain('Base64')
  })
})
