import { survivesDouble } from './decimal.ts'
import type { JsonObject, JsonValue } from './json-value.ts'

/** A parsed JSON text, in two forms if JavaScript's numbers cannot hold all of its digits. */
export interface ParsedJson {
  /** As `JSON.parse` returns it: with the right types, but a number may have lost digits. */
  readonly lossy: JsonValue
  /** The same, but with numbers that would lose digits as source text. The same object if there are none. */
  readonly exact: JsonValue
}

/** A number that a double cannot hold becomes its source text. @throws SyntaxError if it is not JSON */
export function parseJson(text: string): ParsedJson {
  const lossy = parseJsonValue(text)
  return { lossy, exact: toExact(text, lossy) }
}

/**
 * For a caller who does not have the text: integers beyond 2^53 are source text, too, as nobody can tell by the
 * number whether it has lost digits, and `identifierSchema` rejects it. @throws SyntaxError if it is not JSON
 */
export function parseForCaller(text: string): JsonValue {
  return toExact(text, parseJsonValue(text), isSafe)
}

function isSafe(source: string): boolean {
  const number = Number(source)
  return survivesDouble(source) && (Number.isSafeInteger(number) || !Number.isInteger(number))
}

/** The exact form of a parsed text: the same object if no digit was lost. */
export function toExact<Value extends JsonValue>(text: string, lossy: Value, isKept = survivesDouble): Value {
  if (!LONG_NUMBER.test(text) && !LARGE_EXPONENT.test(text)) return lossy
  const quoted = quoteNumbers(text, isKept)
  return quoted === text ? lossy : (parseJsonValue(quoted) as Value)
}

// A double holds every decimal of up to 15 digits with an exponent of up to two. The patterns quickly find what
// could be longer: digits where a number can begin, and a large exponent anywhere. The digits are spelled out,
// since V8 can then skip through the text instead of trying every position.
const LONG_NUMBER = new RegExp(`(?:^|[:[,\\s])[-\\d]${'[\\d.]'.repeat(15)}`)
const LARGE_EXPONENT = /\d[eE][+\-\d]\d\d\d*(?:[,}\]\s]|$)/

const QUOTE = 0x22
const MINUS = 0x2d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const NUMBER_AT = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** In one pass over valid JSON. A reviver is recursive: deep nesting could exhaust the stack. */
function quoteNumbers(text: string, isKept: (source: string) => boolean): string {
  const parts: string[] = []
  let copied = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
    } else if (code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9)) {
      NUMBER_AT.lastIndex = at
      NUMBER_AT.test(text)
      const end = NUMBER_AT.lastIndex
      const source = text.slice(at, end)
      // Up to 15 characters without an exponent never lose a digit.
      if ((source.length > 15 || /[eE]/.test(source)) && !isKept(source)) {
        parts.push(text.slice(copied, at), '"', source, '"')
        copied = end
      }
      at = end
    } else {
      at++
    }
  }
  parts.push(text.slice(copied))
  return parts.join('')
}

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
function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1)
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1)
  return close + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}
