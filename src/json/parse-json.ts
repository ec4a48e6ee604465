import { survivesDouble } from './decimal.ts'
import type { JsonValue } from './json-value.ts'
import { endOfString, parseJsonValue } from './parse-json-value.ts'

/** A parsed JSON text, in two forms if JavaScript's numbers cannot hold all of its digits. */
export interface ParsedJson {
  /** As `JSON.parse` returns it: with the right types, but a number may have lost digits. */
  readonly lossy: JsonValue
  /** The same, but with numbers that would lose digits as source text. The same object if there are none. */
  readonly exact: JsonValue
}

/**
 * Parses JSON without losing a digit: a number that a double cannot hold becomes its source text.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): ParsedJson {
  const lossy = parseJsonValue(text)
  return { lossy, exact: toExact(text, lossy) }
}

/** The exact form of a parsed text: the same object if no digit was lost. */
export function toExact<Value extends JsonValue>(text: string, lossy: Value): Value {
  if (!mayLoseDigits(text)) return lossy
  const quoted = quoteLossyNumbers(text)
  return quoted === text ? lossy : (parseJsonValue(quoted) as Value)
}

// A double holds every decimal of up to 15 digits with an exponent of up to two. The patterns quickly find what
// could be longer: digits where a number can begin, and a large exponent anywhere. The digits are spelled out,
// since V8 can then skip through the text instead of trying every position.
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

/**
 * Quotes the numbers that would lose a digit, in one pass over valid JSON. A reviver works by recursion, which
 * could exhaust the stack on deep nesting.
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
      const source = text.slice(at, end)
      // Up to 15 characters without an exponent never lose a digit.
      if ((source.length > 15 || /[eE]/.test(source)) && !survivesDouble(source)) {
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
