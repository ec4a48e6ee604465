import type { JsonObject, JsonValue } from './json-value.ts'

/**
 * `JSON.parse`, with a workaround for a bug in V8 13 and 14 (Node 24 to 26): a key written with an escape may
 * get the name of another key that the process parsed before (https://github.com/nodejs/node/issues/63785). V8
 * compares the source of the key, so the wrong name has a backslash where the escape begins. A result without a
 * backslash in any key is therefore right; any other text is parsed again.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseJsonValue(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue
  return text.includes('\\') && hasKeyWithBackslash(value) ? readTokens(text) : value
}

function hasKeyWithBackslash(root: JsonValue): boolean {
  const containers = [root]
  // The list grows while it is walked, since recursion could exhaust the stack on deep nesting.
  for (const container of containers) {
    if (Array.isArray(container)) {
      for (const element of container) if (isContainer(element)) containers.push(element)
    } else if (isContainer(container)) {
      for (const key of Object.keys(container)) {
        if (key.includes('\\')) return true
        const value = container[key] as JsonValue
        if (isContainer(value)) containers.push(value)
      }
    }
  }
  return false
}

function isContainer(value: JsonValue): value is JsonObject | JsonValue[] {
  return typeof value === 'object' && value !== null
}

const PRIMITIVE = /[^\s,\]}]+/y

/** Parses valid JSON. `JSON.parse` only gets single strings, numbers and literals, and so no object keys. */
function readTokens(text: string): JsonValue {
  const outer: JsonValue[][] = []
  // The elements of an array, or the keys and values of an object, alternating.
  let items: JsonValue[] = []
  let at = 0
  while (at < text.length) {
    const start = at++
    const character = text[start] as string
    if (character === '{' || character === '[') {
      outer.push(items)
      items = []
    } else if (character === '}' || character === ']') {
      const container = character === ']' ? items : toObject(items)
      items = outer.pop() as JsonValue[]
      items.push(container)
    } else if (!' \n\r\t,:'.includes(character)) {
      at = character === '"' ? endOfString(text, start) : endOfPrimitive(text, start)
      items.push(JSON.parse(text.slice(start, at)) as JsonValue)
    }
  }
  return items[0] as JsonValue
}

function endOfPrimitive(text: string, start: number): number {
  PRIMITIVE.lastIndex = start
  PRIMITIVE.test(text)
  return PRIMITIVE.lastIndex
}

function toObject(keysAndValues: readonly JsonValue[]): JsonObject {
  const entries: [string, JsonValue][] = []
  for (let at = 0; at < keysAndValues.length; at += 2) {
    entries.push([keysAndValues[at] as string, keysAndValues[at + 1] as JsonValue])
  }
  // Unlike an assignment, this treats `__proto__` like any other key.
  return Object.fromEntries(entries)
}

/** Index after the closing quote of the string that opens at `open`, in valid JSON. */
export function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1)
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1)
  return close + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}
