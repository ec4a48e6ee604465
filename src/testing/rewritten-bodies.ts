import { Buffer } from 'node:buffer'
import { ExactNumber } from '../json/exact-number.ts'

type Rewrite = (text: string, bytes: Buffer) => readonly (string | Uint8Array | undefined)[]

const BOM = Buffer.from([0xef, 0xbb, 0xbf])

const REWRITINGS = [
  ['newline_added', (_text, bytes) => [withoutEnd(bytes, '\r\n'), withoutEnd(bytes, '\n')]],
  [
    'newline_missing',
    (_text, bytes) => ['\n', '\r\n'].map((end) => Buffer.concat([bytes, Buffer.from(end)])),
  ],
  [
    'bom',
    (_text, bytes) => [bytes.subarray(0, 3).equals(BOM) ? bytes.subarray(3) : Buffer.concat([BOM, bytes])],
  ],
  // As single bytes, so that invalid UTF-8 is preserved.
  [
    'line_endings',
    (_text, bytes) => {
      const unix = bytes.toString('latin1').replaceAll('\r\n', '\n')
      return [unix, unix.replaceAll('\n', '\r\n')].map((text) => Buffer.from(text, 'latin1'))
    },
  ],
  ['lossy_utf8', (text) => [text]],
  [
    'latin1',
    (text, bytes) => [
      /[^\0-\xff]/.test(text) ? undefined : Buffer.from(text, 'latin1'),
      bytes.toString('latin1'),
    ],
  ],
  ['restringified', (text) => restringify(text)],
  // A middleware that parses `data`, or stringifies it.
  ['restringified', (text) => [JSON.stringify(withOtherData(readJson(text)))]],
  ['base64', (text, bytes) => [Buffer.from(text, 'base64'), bytes.toString('base64')]],
] as const satisfies readonly (readonly [string, Rewrite])[]

export type BodyCause = (typeof REWRITINGS)[number][0]

/** Bytes that may have been signed instead, the most likely first, computed lazily. */
export function* rewrittenBodies(body: Uint8Array): Generator<readonly [BodyCause, Uint8Array]> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const text = bytes.toString()
  for (const [cause, rewrite] of REWRITINGS) {
    for (const rewritten of attempt(rewrite, text, bytes)) {
      if (rewritten === undefined) continue
      const changed = typeof rewritten === 'string' ? Buffer.from(rewritten) : rewritten
      if (!bytes.equals(changed)) yield [cause, changed]
    }
  }
}

/** Yields nothing if the body is not JSON, or nests deeper than the stack. */
function attempt(rewrite: Rewrite, text: string, bytes: Buffer): ReturnType<Rewrite> {
  try {
    return rewrite(text, bytes)
  } catch {
    return []
  }
}

function withoutEnd(bytes: Buffer, end: string): Buffer | undefined {
  return bytes.subarray(-end.length).equals(Buffer.from(end)) ? bytes.subarray(0, -end.length) : undefined
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

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function withOtherData(envelope: unknown): unknown {
  const { data } = envelope as { data?: unknown }
  return { ...(envelope as object), data: typeof data === 'string' ? readJson(data) : JSON.stringify(data) }
}

/** JSON whose numbers keep their source text when they are serialized. */
export function readJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? new ExactNumber(context?.source ?? String(value)) : value,
  )
}
