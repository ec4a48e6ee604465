import { Buffer } from 'node:buffer'
import { ExactNumber, readJson } from '../json/exact-number.ts'
import { toEscape } from '../json/to-escape.ts'
import { tryTo } from './format-body.ts'

/** How the bytes that were signed differ from those that arrived. */
export const REWRITTEN = {
  newline_added: 'without the newline at its end',
  newline_missing: 'with a newline added to it',
  bom: 'with a byte order mark',
  line_endings: 'with other line endings',
  lossy_utf8: 'with U+FFFD for what is not UTF-8',
  latin1: 'decoded or encoded as Latin-1',
  restringified: 'as a serializer writes its JSON again',
  base64: 'in Base64',
}

type BodyCause = keyof typeof REWRITTEN

const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/** Bytes that may have been signed instead, the most likely first, computed lazily. */
export function* rewrittenBodies(body: Uint8Array): Generator<readonly [BodyCause, Uint8Array]> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  for (const [cause, rewritten] of rewrite(bytes)) {
    const changed = typeof rewritten === 'string' ? Buffer.from(rewritten) : rewritten
    if (!bytes.equals(changed)) yield [cause, changed]
  }
}

function* rewrite(bytes: Buffer): Generator<readonly [BodyCause, string | Uint8Array]> {
  const text = bytes.toString()
  // Single bytes, so that invalid UTF-8 is preserved.
  const latin1 = bytes.toString('latin1')
  for (const end of ['\r\n', '\n'])
    if (latin1.endsWith(end)) yield ['newline_added', bytes.subarray(0, -end.length)]
  for (const end of ['\n', '\r\n']) yield ['newline_missing', Buffer.concat([bytes, Buffer.from(end)])]
  yield ['bom', bytes.subarray(0, 3).equals(BOM) ? bytes.subarray(3) : Buffer.concat([BOM, bytes])]
  const unix = latin1.replaceAll('\r\n', '\n')
  for (const lines of [unix, unix.replaceAll('\n', '\r\n')])
    yield ['line_endings', Buffer.from(lines, 'latin1')]
  yield ['lossy_utf8', text]
  if (!/[^\0-\xff]/.test(text)) yield ['latin1', Buffer.from(text, 'latin1')]
  yield ['latin1', latin1]
  for (const json of tryTo(() => restringify(text)) ?? []) yield ['restringified', json]
  for (const json of tryTo(() => [withOtherData(text)]) ?? []) yield ['restringified', json]
  yield ['base64', Buffer.from(text, 'base64')]
  yield ['base64', bytes.toString('base64')]
}

/** The same JSON as other programs write it, with original numbers and with those of JSON.parse. */
function restringify(text: string): string[] {
  const [exact, lossy] = [readJson(text), JSON.parse(text) as unknown]
  const compact = JSON.stringify(exact)
  return [
    ...[undefined, 2, 4, '\t'].map((indent) => JSON.stringify(exact, null, indent)),
    JSON.stringify(lossy),
    JSON.stringify(withSortedKeys(exact)),
    ...[compact, toSpacedJson(exact), toSpacedJson(withSortedKeys(exact))].flatMap((json) => [
      json,
      toAscii(json),
    ]),
    // PHP's json_encode, and Go's json.Marshal.
    compact.replaceAll('/', '\\/'),
    toAscii(compact.replaceAll('/', '\\/')),
    compact.replace(/[<>&]/g, toEscape),
    // JSON text within a JSON string.
    typeof lossy === 'string' ? lossy : JSON.stringify(text),
  ]
}

/** With sorted keys, as Go writes a map. */
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, withSortedKeys(member)]))
}

/** Like Python's json.dumps: a space after every comma and colon. */
export function toSpacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toSpacedJson).join(', ')}]`
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber)
    return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${toSpacedJson(member)}`,
  )
  return `{${members.join(', ')}}`
}

function toAscii(json: string): string {
  return json.replace(/[\x7f-\uffff]/g, toEscape)
}

/** As a middleware that parses `data`, or stringifies it. */
function withOtherData(text: string): string {
  const envelope = readJson(text) as { data?: unknown }
  const { data } = envelope
  return JSON.stringify({
    ...envelope,
    data: typeof data === 'string' ? readJson(data) : JSON.stringify(data),
  })
}
