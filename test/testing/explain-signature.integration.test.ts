import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { explainSignature } from '../../src/testing/explain-signature.ts'

const clientId = 'payhook-demo-client'
const clientSecret = 'a-secret'
const otherClientIds = ['staging-client']
const compact =
  '{"type":"VBA_TRANSACTION","data":"{\\"amount\\":12345678901234567.890,\\"name\\":\\"Zoë\\"}"}'
const inline =
  '{"type":"VBA_TRANSACTION","data":{"amount":12345678901234567.890,"name":"Zoë","url":"https://a.example/?a&b"}}'
const pretty =
  '{\n  "type": "VBA_TRANSACTION",\n  "data": {\n    "amount": 12345678901234567.890,\n    "name": "Zoë",\n    "url": "https://a.example/?a&b"\n  }\n}'

interface Case {
  title: string
  /** The body that Python signs. Default: a compact envelope. */
  signed?: string | Buffer
  /** The body to verify. Default: the signed one. */
  body?: string | Buffer
  key?: string
  /** A Python expression of `mac`, `body` and `key` for the header. Default: the hexadecimal digest. */
  header?: string
  cause: string | undefined
}

const notUtf8 = Buffer.concat([Buffer.from('{"type":"A'), Buffer.from([0xff]), Buffer.from('"}')])
const lossy = notUtf8.toString()
const base64 = Buffer.from(compact).toString('base64')
const crlf = pretty.replaceAll('\n', '\r\n')
const parsed = compact.replaceAll('\\', '').replace('"{', '{').replace('}"', '}')
const listed = '{"type":"A","data":{"name":"Zoë","list":[1,2,{"a":null}]}}'
const toPython = 'import json,sys; sys.stdout.write(json.dumps(json.load(sys.stdin)))'
const byPython = execFileSync('python3', ['-c', toPython], { input: listed })
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const urlSafe = 'base64.urlsafe_b64encode(mac.digest()).decode().rstrip("=")'

const cases: Case[] = [
  { title: 'the right signature', cause: undefined },
  { title: 'the right signature of bytes that are not UTF-8', signed: notUtf8, cause: undefined },
  { title: 'a newline added', body: `${compact}\n`, cause: 'newline_added' },
  { title: 'a Windows newline added', body: `${compact}\r\n`, cause: 'newline_added' },
  { title: 'a newline lost', signed: `${compact}\n`, body: compact, cause: 'newline_missing' },
  { title: 'pretty printed after signing', signed: inline, body: pretty, cause: 'restringified' },
  { title: 'made compact after signing', signed: pretty, body: inline, cause: 'restringified' },
  { title: 'signed as Python writes JSON', signed: byPython, body: listed, cause: 'restringified' },
  { title: 'not decoded from Base64', body: base64, cause: 'base64' },
  { title: 'encoded in Base64 before signing', signed: base64, body: compact, cause: 'base64' },
  { title: 'an empty body', body: '', cause: 'body_empty' },
  {
    title: 'keys sorted, as Go writes a map',
    signed: '{"data":{"a":1,"b":2},"type":"A"}',
    body: '{"type":"A","data":{"b":2,"a":1}}',
    cause: 'restringified',
  },
  { title: 'slashes escaped', signed: inline.replaceAll('/', '\\/'), body: inline, cause: 'restringified' },
  {
    title: 'digits lost by JSON.parse',
    signed: '{"type":"A","data":1250.75}',
    body: '{"type":"A","data":1250.750}',
    cause: 'restringified',
  },
  { title: 'data parsed by a middleware', body: parsed, cause: 'restringified' },
  { title: 'a JSON text in a JSON string', body: JSON.stringify(compact), cause: 'restringified' },
  { title: 'line endings changed to CRLF', signed: pretty, body: crlf, cause: 'line_endings' },
  { title: 'line endings changed to LF', signed: crlf, body: pretty, cause: 'line_endings' },
  { title: 'a byte order mark dropped', signed: `\ufeff${compact}`, body: compact, cause: 'bom' },
  { title: 'a byte order mark added', body: `\ufeff${compact}`, cause: 'bom' },
  { title: 'signed after a lossy decoding', signed: lossy, body: notUtf8, cause: 'lossy_utf8' },
  { title: 'received through a lossy decoding', signed: notUtf8, body: lossy, cause: 'lossy_utf8' },
  { title: 'UTF-8 read as Latin-1', body: Buffer.from(compact).toString('latin1'), cause: 'latin1' },
  { title: 'written as Latin-1', body: Buffer.from(compact, 'latin1'), cause: 'latin1' },
  { title: "another application's client id", key: 'staging-client', cause: 'other_client_id' },
  { title: 'the client secret as the key', key: clientSecret, cause: 'client_secret' },
  { title: 'a newline at the end of the key', key: `${clientId}\n`, cause: 'client_id_whitespace' },
  { title: 'uppercase', header: 'mac.hexdigest().upper()', cause: 'signature_uppercase' },
  { title: 'Base64', header: 'base64.b64encode(mac.digest()).decode()', cause: 'signature_base64' },
  { title: 'URL-safe Base64 without padding', header: urlSafe, cause: 'signature_base64' },
  { title: 'whitespace around', header: '" " + mac.hexdigest() + "\\n"', cause: 'signature_whitespace' },
  { title: 'a prefix', header: '"sha256=" + mac.hexdigest()', cause: 'signature_prefixed' },
  { title: 'SHA-1', header: 'hmac.new(key, body, "sha1").hexdigest()', cause: 'signature_malformed' },
  { title: 'SHA-512', header: 'hmac.new(key, body, "sha512").hexdigest()', cause: 'signature_malformed' },
  { title: 'a digit missing', header: 'mac.hexdigest()[:-1]', cause: 'signature_malformed' },
  {
    title: 'two in one header',
    header: 'mac.hexdigest() + ", " + mac.hexdigest()',
    cause: 'signature_repeated',
  },
  { title: 'none', header: '""', cause: 'signature_missing' },
  { title: 'a changed amount', body: compact.replace('123', '124'), cause: 'unknown' },
  { title: 'JSON that nests as deep as the stack allows', body: nested(4_000), cause: 'unknown' },
  { title: 'JSON that nests deeper than the stack', body: nested(200_000), cause: 'unknown' },
]

const PYTHON = `
import base64, hashlib, hmac, json, sys
headers = []
for case in json.load(sys.stdin):
    body, key = base64.b64decode(case["body"]), case["key"].encode()
    mac = hmac.new(key, body, "sha256")
    headers.append(eval(case["header"]))
json.dump(headers, sys.stdout)
`

const asked = cases.map(({ signed = compact, key = clientId, header = 'mac.hexdigest()' }) => ({
  body: Buffer.from(signed).toString('base64'),
  key,
  header,
}))
const headers = JSON.parse(
  execFileSync('python3', ['-c', PYTHON], { input: JSON.stringify(asked), encoding: 'utf8' }),
) as string[]

it.each(cases.map((one, index) => ({ ...one, signature: headers[index] })))(
  'explains $title: $cause',
  ({ signed = compact, body = signed, signature, cause }) => {
    const explained = explainSignature({ body, signature, clientId, otherClientIds, clientSecret })
    if (cause === undefined) expect(explained).toEqual({ valid: true })
    else expect(explained).toEqual({ valid: false, cause, message: expect.stringMatching(/^[A-Z].*\.$/s) })
  },
)

it('names each cause if there are several, the form of the signature first', () => {
  const at = cases.findIndex(({ title }) => title === 'uppercase')
  const explained = explainSignature({ body: `${compact}\n`, signature: headers[at], clientId })
  expect(explained).toMatchObject({ cause: 'signature_uppercase' })
  expect(explained).toHaveProperty('message', expect.stringMatching(/uppercase.*newline/s))
})

it('never names the expected signature, the client id or the secret', () => {
  for (const [index, { signed = compact, body = signed }] of cases.entries()) {
    const text = JSON.stringify(
      explainSignature({ body, signature: headers[index], clientId, otherClientIds, clientSecret }),
    )
    expect(text).not.toMatch(/[\da-f]{40}|payhook-demo|a-secret|staging/)
  }
})

it('rejects a parsed body', () => {
  expect(() => explainSignature({ body: {} as string, signature: '', clientId })).toThrow(TypeError)
})
