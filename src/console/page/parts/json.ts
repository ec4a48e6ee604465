import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'

/** Longer texts are neither edited nor searched for mistakes. */
export const MOST_EDITABLE = 50_000
/** Longer texts are shown as they are. */
const MOST_FORMATTED = 200_000
/** Deeper levels are indented like this one, so that nested brackets do not grow quadratically. */
const MOST_INDENTED = 12
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

/** A mistake in a text that should be JSON, and where it is. */
export interface JsonMistake {
  readonly offset: number
  readonly length: number
  readonly message: string
}

function isJson(text: string): boolean {
  if (text.length > MOST_FORMATTED) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Syntax errors of a text, in order. */
export function findMistakes(text: string): JsonMistake[] {
  if (text.length > MOST_EDITABLE) return []
  const errors: ParseError[] = []
  try {
    parse(text, errors, STRICT)
  } catch {
    return [{ offset: 0, length: 0, message: 'Nested too deeply' }]
  }
  return errors.map(({ error, offset, length }) => ({
    offset,
    length,
    // ValueExpected
    message: printParseErrorCode(error).replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  }))
}

/** Indents JSON. Numbers and strings stay unchanged, and so does text that is very long or not JSON. */
export function formatJson(text: string): string {
  if (!isJson(text)) return text
  const parts: string[] = []
  let depth = 0
  let isEmpty = false
  const newLine = () => `\n${'  '.repeat(Math.min(depth, MOST_INDENTED))}`
  for (const [start, end] of tokens(text)) {
    const token = text.slice(start, end)
    const isClose = token === '}' || token === ']'
    if (isClose) depth--
    if (isEmpty !== isClose) parts.push(newLine())
    isEmpty = token === '{' || token === '['
    if (isEmpty) depth++
    parts.push(token === ':' ? ': ' : token)
    if (token === ',') parts.push(newLine())
  }
  return parts.join('')
}

/** The data of a notification, and how to replace it. Stringified data stays stringified. */
export function openData(body: string): { text: string; replace: (data: string) => string } | undefined {
  const data = findData(body)
  if (!data) return undefined
  const source = body.slice(data.start, data.end)
  const around = (changed: string) => body.slice(0, data.start) + changed + body.slice(data.end)
  if (!source.startsWith('"')) return { text: source, replace: (changed) => around(compactJson(changed)) }
  const text = JSON.parse(source)
  if (!isJson(text)) return undefined
  return { text, replace: (changed) => around(JSON.stringify(compactJson(changed))) }
}

/** Indents a notification and its stringified data. Numbers stay unchanged. */
export function formatBody(body: string): string {
  const data = findData(body)
  if (!data || body[data.start] !== '"') return formatJson(body)
  const opened = JSON.parse(body.slice(data.start, data.end))
  return formatJson(isJson(opened) ? body.slice(0, data.start) + opened + body.slice(data.end) : body)
}

/** Where the value of `data` is in a notification. */
function findData(body: string): { start: number; end: number } | undefined {
  if (!isJson(body)) return undefined
  let depth = 0
  let start: number | undefined
  /** The member's name and its colon were the last tokens. */
  let seen: 'nothing' | 'name' | 'colon' = 'nothing'
  let last = 0
  for (const [from, end] of tokens(body)) {
    const character = body[from]
    if (depth === 1 && start !== undefined && (character === ',' || character === '}'))
      return { start, end: last }
    if (seen === 'colon') start ??= from
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    if (depth !== 1) seen = 'nothing'
    else if (seen === 'name' && character === ':') seen = 'colon'
    else seen = body.slice(from, end) === '"data"' ? 'name' : 'nothing'
    last = end
  }
  return undefined
}

/** JSON without the white space between its tokens. */
function compactJson(text: string): string {
  return Array.from(tokens(text), ([start, end]) => text.slice(start, end)).join('')
}

/** Start and end of each token of valid JSON. */
function* tokens(text: string): Generator<readonly [start: number, end: number]> {
  for (let start = 0; start < text.length; ) {
    const character = text.charAt(start)
    let end = start + 1
    if (character === '"') end = endOfString(text, start)
    else if (!'{}[],: \t\n\r'.includes(character))
      while (end < text.length && !'{}[],: \t\n\r'.includes(text.charAt(end))) end++
    if (!' \t\n\r'.includes(character)) yield [start, end]
    start = end
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
