import { survivesDouble } from './decimal.ts'
import { endOfString } from './end-of-string.ts'
import type { JsonValue } from './json-value.ts'
import { parseJsonValue } from './parse-json-value.ts'

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
  const lossy = parseJsonValue(text)
  return { lossy, exact: toExact(text, lossy) }
}

/** The exact form of what `JSON.parse` made of a text: the same object when no digit was lost. */
export function toExact<Value extends JsonValue>(text: string, lossy: Value): Value {
  if (!mayLoseDigits(text)) return lossy
  const quoted = quoteLossyNumbers(text)
  return quoted === text ? lossy : (parseJsonValue(quoted) as Value)
}

// A double holds every decimal of up to 15 digits with an exponent of up to two. The patterns find in passing
// what could be more: digits where a number can begin, and a large exponent anywhere. The digits are spelled
// out because V8 then skips through the text instead of trying every position.
const LONG_NUMBER = new RegExp(`(?:^|[:[,\\s])[-\\d]${'[\\d.]'.repeat(15)}`)
const LARGE_EXPONENT = /\d[eE][+\-\d]\d\d\d*(?:[,}\]\s]|$)/

function mayLoseDigits(text: string): boolean {
  return LONG_NUMBER.test(text) || LARGE_EXPONENT.test(text)
}

const QUOTE = 0x22
const MINUS = 0x2d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const NUMBER_AT = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** Length of `1e999`. */
const SHORTEST_LOSSY = 5

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
      NUMBER_AT.test(text)
      const end = NUMBER_AT.lastIndex
      // Nothing shorter loses a digit; most numbers are not looked at any closer.
      if (end - at >= SHORTEST_LOSSY) {
        const source = text.slice(at, end)
        // Nor do fifteen digits without an exponent.
        if ((source.length > 15 || /[eE]/.test(source)) && !survivesDouble(source)) {
          parts.push(text.slice(copied, at), '"', source, '"')
          copied = end
        }
      }
      at = end
    } else {
      at++
    }
  }
  if (parts.length === 0) return text
  parts.push(text.slice(copied))
  return parts.join('')
}
