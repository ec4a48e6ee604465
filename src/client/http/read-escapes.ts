import { Buffer } from 'node:buffer'

/** A text with its escapes read, and where each code unit of that starts and ends in the original. */
export interface ReadText {
  readonly read: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

// An escape of JSON, a percent-encoded character, an entity of HTML, or any other character.
const CHARACTER =
  /\\u([\da-f]{4})|\\(.)|(%[0-7][\da-f]|%[cd][\da-f]%[\da-f]{2}|%e[\da-f](?:%[\da-f]{2}){2}|%f[\da-f](?:%[\da-f]{2}){3})|&#(\d{1,6});|&#x([\da-f]{1,5});|&(amp|lt|gt|quot|apos);|./gis
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

// A URL in a URL, or JSON in JSON, which a service passed on with an error of its own.
const MAX_LEVELS = 3

/** A text as it stands, with its escapes read, and with the escapes in that read in turn. */
export function* readings(text: string): Generator<ReadText> {
  const places = Array.from({ length: text.length + 1 }, (_, at) => at)
  let { read, starts, ends }: ReadText = { read: text, starts: places, ends: places.slice(1) }
  yield { read, starts, ends }
  for (let level = 1; level <= MAX_LEVELS; level++) {
    const next = readEscapes(read)
    if (next.read === read) return
    starts = next.starts.map((at) => starts[at] as number)
    ends = next.ends.map((at) => ends[at - 1] as number)
    read = next.read
    yield { read, starts, ends }
  }
}

/** Reads the escapes of JSON, URLs and HTML alike: `\u002B`, `%2b` and `&#43;` are all `+`. */
export function readEscapes(text: string): ReadText {
  let read = ''
  const starts: number[] = []
  const ends: number[] = []
  for (const match of text.matchAll(CHARACTER)) {
    const character = readCharacter(match)
    read += character
    while (starts.length < read.length) {
      starts.push(match.index)
      ends.push(match.index + match[0].length)
    }
  }
  return { read, starts, ends }
}

function readCharacter([written, unit, escaped, bytes, decimal, hex, entity = '']: RegExpExecArray): string {
  const code = unit ?? hex
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
  if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
  if (bytes !== undefined) return Buffer.from(bytes.replaceAll('%', ''), 'hex').toString()
  return escaped ?? ENTITIES[entity.toLowerCase()] ?? written
}
