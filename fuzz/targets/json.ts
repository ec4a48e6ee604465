// Exact JSON: the same texts as JSON.parse, the same values, and every digit.

import { strictEqual, throws } from 'node:assert/strict'
import { parseJson } from '../../src/json/parse-json.ts'
import { assertParsed, assertUnpolluted, toExactNumber } from '../oracles/assert-parsed.ts'
import { depthOf, MAX_DEPTH, readJson } from '../oracles/read-json.ts'
import { LONG } from '../seeds.ts'

export function run(input: Buffer): void {
  const text = input.toString()
  const isJson = accepts(JSON.parse, text)
  if (!isJson) {
    throws(() => parseJson(text), SyntaxError)
    return
  }
  const { lossy, exact } = parseJson(text)
  assertUnpolluted()
  if (depthOf(text) > MAX_DEPTH) return
  const written = readJson(text)
  if (written === undefined) throw new Error('JSON.parse and the grammar disagree')
  assertParsed(lossy, written, Number)
  assertParsed(exact, written, toExactNumber)
  const again = JSON.stringify(exact)
  strictEqual(JSON.stringify(parseJson(again).exact), again)
}

export const seeds = () =>
  [LONG.nested, `[${LONG.zeros}]`, `"${LONG.digits}"`].map((text) => Buffer.from(text))

function accepts(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}
