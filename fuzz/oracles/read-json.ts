import { fitsDouble } from './exact-decimal.ts'

/** A JSON value as it was written. */
export type Written =
  | { readonly type: 'number'; readonly source: string }
  | { readonly type: 'plain'; readonly value: string | boolean | null }
  | { readonly type: 'array'; readonly elements: readonly Written[] }
  | { readonly type: 'object'; readonly members: ReadonlyMap<string, Written>; readonly repeats: boolean }

const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y
const SPACE = /[ \t\n\r]*$/y

/**
 * Reads JSON by the grammar of RFC 8259, independently of payhook and of `JSON.parse`, and keeps the text of
 * numbers.
 *
 * @returns `undefined` if it is not JSON
 */
export function readJson(text: string): Written | undefined {
  const tokens: RegExpExecArray[] = []
  TOKEN.lastIndex = 0
  let end = 0
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    tokens.push(token)
    end = TOKEN.lastIndex
  }
  SPACE.lastIndex = end
  if (!SPACE.test(text)) return undefined
  const reader = new Reader(tokens)
  const value = reader.value()
  return reader.isAtEnd() ? value : undefined
}

/** The deepest value that {@link readJson} can read. */
export const MAX_DEPTH = 500

export function depthOf(text: string): number {
  let [depth, deepest] = [0, 0]
  for (const character of text) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth)
    else if (character === ']' || character === '}') depth--
  }
  return deepest
}

/** Whether a double holds every number, and no other integer has the same double. */
export function isSafe(written: Written): boolean {
  if (written.type === 'array') return written.elements.every(isSafe)
  if (written.type === 'object') return [...written.members.values()].every(isSafe)
  if (written.type !== 'number') return true
  const double = Number(written.source)
  return fitsDouble(written.source) && (Number.isSafeInteger(double) || !Number.isInteger(double))
}

/** As `JSON.parse` returns it. */
export function toValue(written: Written): unknown {
  if (written.type === 'array') return written.elements.map(toValue)
  if (written.type === 'plain') return written.value
  if (written.type === 'number') return Number(written.source)
  return Object.fromEntries([...written.members].map(([name, member]) => [name, toValue(member)]))
}

class Reader {
  readonly #tokens: readonly RegExpExecArray[]
  #at = 0

  constructor(tokens: readonly RegExpExecArray[]) {
    this.#tokens = tokens
  }

  isAtEnd(): boolean {
    return this.#at === this.#tokens.length
  }

  value(): Written | undefined {
    const [, mark, string, number, literal] = this.#tokens[this.#at++] ?? []
    if (string !== undefined) return { type: 'plain', value: unquote(string) }
    if (number !== undefined) return { type: 'number', source: number }
    if (literal !== undefined) return { type: 'plain', value: literal === 'null' ? null : literal === 'true' }
    if (mark === '[') return this.#array()
    return mark === '{' ? this.#object() : undefined
  }

  #takes(mark: string): boolean {
    if (this.#tokens[this.#at]?.[1] !== mark) return false
    this.#at++
    return true
  }

  #array(): Written | undefined {
    const elements: Written[] = []
    if (this.#takes(']')) return { type: 'array', elements }
    do {
      const element = this.value()
      if (element === undefined) return undefined
      elements.push(element)
    } while (this.#takes(','))
    return this.#takes(']') ? { type: 'array', elements } : undefined
  }

  #object(): Written | undefined {
    const members = new Map<string, Written>()
    let repeats = false
    if (this.#takes('}')) return { type: 'object', members, repeats }
    do {
      const name = this.#tokens[this.#at++]?.[2]
      if (name === undefined || !this.#takes(':')) return undefined
      const value = this.value()
      if (value === undefined) return undefined
      repeats ||= members.has(unquote(name))
      members.set(unquote(name), value)
    } while (this.#takes(','))
    return this.#takes('}') ? { type: 'object', members, repeats } : undefined
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function unquote(string: string): string {
  return string
    .slice(1, -1)
    .replaceAll(/\\(?:u([\da-fA-F]{4})|(.))/g, (_match, hex: string | undefined, letter: string) =>
      hex === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
    )
}
