import {
  applyEdits,
  findNodeAtLocation,
  format,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser'
import type { ComponentChildren } from 'preact'
import { CodeBlock } from './code-block.tsx'

/** Longer texts are not highlighted. */
const MOST_COLOURED = 60_000
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

/** A mistake in a text that should be JSON, and where it is. */
export interface JsonMistake {
  readonly offset: number
  readonly length: number
  readonly message: string
}

// In the order of jsonc-parser's codes, from 1.
const MESSAGES = [
  'Unexpected character',
  'Not a number that JSON knows',
  'A property name in quotes is missing',
  'A value is missing',
  'A colon is missing',
  'A comma is missing',
  'A closing brace is missing',
  'A closing bracket is missing',
  'The JSON ends before this',
  'JSON has no comments',
  'The comment does not end',
  'The string does not end',
  'The number does not end',
  'Not four hexadecimal digits after \\u',
  'Unknown escape sequence',
  'Unexpected character',
]

/** Syntax errors of a text, in order. */
export function findMistakes(text: string): JsonMistake[] {
  const errors: ParseError[] = []
  try {
    parse(text, errors, STRICT)
  } catch {
    return [{ offset: 0, length: 0, message: 'Nested too deeply' }]
  }
  return errors.map(({ error, offset, length }) => ({
    offset,
    length,
    message: MESSAGES[error - 1] ?? 'Not JSON',
  }))
}

/** Indents JSON. Numbers and strings stay unchanged, and so does text that is not JSON. */
export function formatJson(text: string): string {
  if (findMistakes(text).length > 0) return text
  return applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2 }))
}

/** The value of `data` in a notification; `undefined` if there is none, or the body is nested too deeply. */
export function findDataNode(body: string): Node | undefined {
  try {
    const tree = parseTree(body)
    return tree && findNodeAtLocation(tree, ['data'])
  } catch {
    return undefined
  }
}

/** Indents a notification and its stringified data. Numbers stay unchanged. */
export function openData(body: string): string {
  const data = findDataNode(body)
  if (data?.type !== 'string' || findMistakes(data.value).length > 0) return formatJson(body)
  return formatJson(body.slice(0, data.offset) + data.value + body.slice(data.offset + data.length))
}

/** Highlighted JSON. Other text is shown too. */
export function JsonText({ text, label, bare = false }: { text: string; label: string; bare?: boolean }) {
  return (
    <CodeBlock label={label} bare={bare}>
      {text.length > MOST_COLOURED ? text : colour(text)}
    </CodeBlock>
  )
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(?:true|false|null)\b/g

function colour(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let end = 0
  for (const { 0: token, 1: string, 2: colon, 3: number, index } of text.matchAll(TOKEN)) {
    const name =
      string === undefined ? (number === undefined ? 't-word' : 't-number') : colon ? 't-name' : 't-string'
    parts.push(text.slice(end, index), <span class={name}>{string ?? token}</span>)
    end = index + (string ?? token).length
  }
  return [...parts, text.slice(end)]
}
