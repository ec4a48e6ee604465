import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'

/** Longer texts are neither edited nor searched for mistakes. */
export const MOST_EDITABLE = 25_000
/** Longer texts are shown as they are. */
const MOST_FORMATTED = 200_000
/** Deeper levels are indented like this one, so that nested brackets do not grow quadratically. */
const MOST_INDENTED = 12
const SEPARATORS = '{}[],: \t\n\r'
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
export function openData(body: string) {
  const data = findData(body)
  const isText = data?.type === 'string'
  if (!data || (isText && !isJson(data.value))) return undefined
  const [start, end] = [data.offset, data.offset + data.length]
  const around = (changed: string) => body.slice(0, start) + changed + body.slice(end)
  return {
    text: isText ? data.value : body.slice(start, end),
    replace: (changed: string) =>
      around(isText ? JSON.stringify(compactJson(changed)) : compactJson(changed)),
    /** The body with data as an object. */
    opened: isText ? around(data.value) : body,
  }
}

/** Indents a notification and its stringified data. Numbers stay unchanged. */
export function formatBody(body: string): string {
  return formatJson(openData(body)?.opened ?? body)
}

/** The value of `data`; `undefined` if there is none, or the body is nested too deeply. */
function findData(body: string): Node | undefined {
  try {
    const tree = isJson(body) ? parseTree(body) : undefined
    return tree && findNodeAtLocation(tree, ['data'])
  } catch {
    return undefined
  }
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
    if (character === '"') {
      while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1
      end++
    } else if (!SEPARATORS.includes(character))
      while (end < text.length && !SEPARATORS.includes(text.charAt(end))) end++
    if (!' \t\n\r'.includes(character)) yield [start, end]
    start = end
  }
}
