import { ExactNumber, readJson } from '../json/exact-number.ts'
import { isJsonObject } from '../json/json-value.ts'

/** JSON that nests deeper would be mostly spaces. */
const MAX_GROWTH = 20

/** Indents JSON, and keeps the digits of its numbers. Any other text stays as it is. */
export function formatJson(text: string): string {
  return tryTo(() => indent(readJson(text), text)) ?? text
}

/** Indents the JSON of a notification, with stringified `data` parsed. Any other text stays as it is. */
export function formatBody(text: string): string {
  return tryTo(() => indent(withParsedData(readJson(text)), text)) ?? text
}

/** The data of a notification, indented; `undefined` if it has none, or none that is JSON. */
export function formatData(text: string): string | undefined {
  return tryTo(() => {
    const { data } = readJson(text) as { data?: unknown }
    return indent(typeof data === 'string' ? readJson(data) : data, text)
  })
}

function withParsedData(body: unknown): unknown {
  if (!isJsonObject(body) || typeof body.data !== 'string') return body
  const { data } = body
  return { ...body, data: tryTo(() => readJson(data)) ?? data }
}

function indent(value: unknown, text: string): string | undefined {
  return spacesOf(value) > MAX_GROWTH * text.length ? undefined : JSON.stringify(value, null, 2)
}

/** How many spaces indent the items: the whole text may not fit into memory. */
function spacesOf(value: unknown, depth = 1): number {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return 0
  return Object.values(value).reduce((sum, item) => sum + 2 * depth + spacesOf(item, depth + 1), 0)
}

/** Nothing if the text is not JSON, or nests deeper than the stack. */
export function tryTo<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
