import {
  createScanner,
  findNodeAtLocation,
  type Node,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser'

/** Longer texts are neither edited nor searched for mistakes. */
export const MAX_EDITABLE = 25_000
/** Longer texts are shown as they are. */
const MAX_FORMATTED = 200_000
/** Deeper levels are indented like this one, so that nested brackets do not grow quadratically. */
const MAX_INDENTED = 12
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

export interface JsonMistake {
  readonly line: number
  readonly column: number
  readonly offset: number
  readonly length: number
  readonly message: string
}

function isJson(text: string): boolean {
  if (text.length > MAX_FORMATTED) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The first syntax error of each line: it often causes others in the same line. */
export function findMistakes(text: string): JsonMistake[] {
  if (text.length > MAX_EDITABLE) return []
  const found: JsonMistake[] = []
  try {
    visit(text, { onError }, STRICT)
  } catch {
    return [{ line: 1, column: 1, offset: 0, length: 0, message: 'Nested too deeply' }]
  }
  return found

  function onError(code: number, offset: number, length: number, startLine: number, startCharacter: number) {
    const line = startLine + 1
    if (found.at(-1)?.line === line) return
    // ValueExpected
    const words = printParseErrorCode(code).replace(
      /(?<=[a-z])[A-Z]/g,
      (letter) => ` ${letter.toLowerCase()}`,
    )
    found.push({ line, column: startCharacter + 1, offset, length, message: words })
  }
}

/** Indents JSON. Numbers and strings stay unchanged, and so does text that is very long or not JSON. */
export function formatJson(text: string): string {
  if (!isJson(text)) return text
  const parts: string[] = []
  let depth = 0
  let isEmpty = false
  const newLine = () => `\n${'  '.repeat(Math.min(depth, MAX_INDENTED))}`
  for (const token of tokens(text)) {
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

function compactJson(text: string): string {
  return [...tokens(text)].join('')
}

/** The tokens of valid JSON, as they are written. */
function* tokens(text: string): Generator<string> {
  const scanner = createScanner(text, true)
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan())
    yield text.slice(scanner.getTokenOffset(), scanner.getPosition())
}
