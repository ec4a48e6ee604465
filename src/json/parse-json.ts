import { survivesDouble } from './decimal.ts'
import type { JsonValue } from './json-value.ts'

/** What a JSON text says, twice where JavaScript's numbers cannot hold it. */
export interface ParsedJson {
  /** As `JSON.parse` gives it: right in its types, with digits lost where a double has no room for them. */
  readonly lossy: JsonValue
  /** The same with each number that would lose a digit as its source text; the same object when none does. */
  readonly exact: JsonValue
}

/**
 * Parses JSON without losing a digit: a number that a double cannot hold becomes its source text.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): ParsedJson {
  const lossy = JSON.parse(text) as JsonValue
  return { lossy, exact: toExact(text, lossy) }
}

/** The exact form of what `JSON.parse` made of a text: the same object when no digit was lost. */
export function toExact<Value extends JsonValue>(text: string, lossy: Value): Value {
  if (!mayLoseDigits(text)) return lossy
  const quoted = quoteLossyNumbers(text)
  return quoted === text ? lossy : (JSON.parse(quoted) as Value)
}

// A double holds every decimal of up to 15 digits with an exponent of up to two. The first two patterns find in
// passing, inside strings too, what could be more; the third looks at the places where a number can stand. The
// long one is spelled out because V8 then skips through the text instead of trying every position.
const LONG_DIGITS = new RegExp('[\\d.]'.repeat(16))
const LARGE_EXPONENT = /\d[eE][+\-\d]\d\d\d*(?:[,}\]\s]|$)/
const LOSSY_NUMBER = /(?:^|[:[,])\s*-?\d(?:(?:\.?\d){15}|[\d.]*[eE][+-]?\d{3})/

function mayLoseDigits(text: string): boolean {
  return (LONG_DIGITS.test(text) || LARGE_EXPONENT.test(text)) && LOSSY_NUMBER.test(text)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const NUMBER_AT = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/**
 * Puts quotes around the numbers that would lose a digit, in one pass over valid JSON. A reviver would do the
 * same by recursion, and a body that nests deep enough would exhaust the stack.
 */
function quoteLossyNumbers(text: string): string {
  const parts: string[] = []
  let copied = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
    } else if (code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9)) {
      NUMBER_AT.lastIndex = at
      const source = NUMBER_AT.exec(text)?.[0] ?? text[at] ?? ''
      const end = at + source.length
      // Fifteen digits without an exponent always survive; most numbers are not looked at any closer.
      if ((source.length > 15 || /[eE]/.test(source)) && !survivesDouble(source)) {
        parts.push(text.slice(copied, at), '"', source, '"')
        copied = end
      }
      at = end
    } else {
      at++
    }
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied)
}

/** Index after the closing quote of the string that opens at `open`. */
function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1)
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1)
  return close + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}
