import { SEPARATOR, split } from './input.ts'
import type { Random } from './random.ts'

type Mutation = (bytes: Buffer) => Buffer

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[a-z]+|[{}[\],:]/g

/** Text that is special in JSON, in numbers, in JavaScript or in HTTP. */
const WORDS = [
  ...['{}', '[]', '""', 'null', 'true', 'false', '0', '-0', '-1', '1e400', '1E-400', '9007199254740993'],
  ...['9223372036854775807', '-9223372036854775808', '1.0', '0.1', '1250.750', '1e3', '5e-324'],
  ...['1.7976931348623157e308', '0.30000000000000004', '123456789012345678901234567890', '1e999999999'],
  ...['\\u0000', '\\u0069d', '\\\\', '\\"', '\\/', '"__proto__":', '"constructor":', '"toString":'],
  ...['\ud83d\ude00', '\\ud83d', '\ufeff', '\u2028', ' ', '\t', '\r\n'],
  ...['"id":1', '"type":"VBA_TRANSACTION"', '"data":', ',', ':'],
]

/** Names that are special in JavaScript, and values that any of them may have. */
const NAMES = [
  ...['__proto__', 'constructor', 'toString', 'then', 'length', '', '\\\\', '\\u005f'],
  ...['id', 'type', 'data'],
]
const VALUES = ['1', '{}', '[]', 'null', '"1"', '{"id":2}']

/** The longest input, which is rare. Much of what is not linear takes seconds with it. */
export const MAX_INPUT_BYTES = 64 * 1024
/** The longest input that is usual. Others take too long to be tried often. */
export const MAX_USUAL_BYTES = 2 * 1024
const MAX_CHOICES = 256

const latin1 = (text: string) => Buffer.from(text, 'latin1')

/** Replaces the bytes from `start` to `end`. */
function replace(bytes: Buffer, start: number, end: number, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([bytes.subarray(0, start), ...parts, bytes.subarray(end)])
}

function createRanges({ below }: Random) {
  const at = (bytes: Buffer) => below(bytes.length + 1)
  /** Short ranges mostly. */
  function range(bytes: Buffer): [start: number, end: number] {
    const start = at(bytes)
    return [start, Math.min(bytes.length, start + below(2 ** (1 + below(8))))]
  }
  const part = (bytes: Buffer) => bytes.subarray(...range(bytes))
  function insert(bytes: Buffer, ...parts: readonly Buffer[]): Buffer {
    const position = at(bytes)
    return replace(bytes, position, position, ...parts)
  }
  /** Inserts a short part of itself many times. */
  const repeat = (bytes: Buffer, times: number) =>
    insert(bytes, ...Array(times).fill(part(bytes).subarray(0, 1 + below(1 + below(8)))))
  return { at, range, part, insert, repeat }
}

/** Mutations that know nothing of JSON. */
function createByteMutations(random: Random, pickWord: () => Buffer): readonly Mutation[] {
  const { below } = random
  const { at, range, part, insert, repeat } = createRanges(random)
  return [
    (bytes) => replace(bytes, ...range(bytes)),
    (bytes) => bytes.subarray(0, at(bytes)),
    (bytes) => {
      const position = at(bytes)
      return replace(bytes, position, position + below(2), Buffer.from([below(256)]))
    },
    (bytes) => insert(bytes, pickWord()),
    (bytes) => replace(bytes, ...range(bytes), pickWord()),
    (bytes) => insert(bytes, part(bytes)),
    (bytes) => repeat(bytes, 2 ** below(8)),
  ]
}

const tokensOf = (bytes: Buffer) => [...bytes.toString('latin1').matchAll(TOKEN)]

/** A mutation that replaces one token of JSON. */
function createOnToken({ pick }: Random) {
  return (change: (token: string, bytes: Buffer) => Buffer): Mutation =>
    (bytes) => {
      const tokens = tokensOf(bytes)
      if (tokens.length === 0) return bytes
      const { index, 0: token } = pick(tokens)
      return replace(bytes, index, index + token.length, change(token, bytes))
    }
}

function createTokenMutations(random: Random, pickWord: () => Buffer): readonly Mutation[] {
  const { below, pick } = random
  const onToken = createOnToken(random)
  const digits = () => Array.from({ length: 1 + below(2 ** below(8)) }, () => below(10)).join('')
  /** A power of two, or beside one. */
  const nearPower = () => String(2n ** BigInt(below(80)) + BigInt(below(3) - 1))
  const number = () =>
    pick([nearPower(), digits(), `-${digits()}`, `${digits()}.${digits()}`, `${digits()}e${below(500)}`])
  const wrapped = (token: string) =>
    pick([`[${token}]`, `{"id":${token}}`, `${token},${token}`, JSON.stringify(token)])
  return [
    onToken((_token, bytes) => latin1(pick(tokensOf(bytes))[0])),
    onToken(pickWord),
    onToken((token) => latin1(wrapped(token))),
    onToken(() => latin1(number())),
    onToken((token) => latin1(token === '{' ? `{"${pick(NAMES)}":${pick(VALUES)},` : token)),
    onToken((token) => latin1(token === '}' ? `,"${pick(NAMES)}":${pick(VALUES)}}` : token)),
    onToken((token) => latin1(token.replace(/\d/, digits))),
  ]
}

/** Mutations that show what takes too long, or too deep a stack. */
function createGrowths(random: Random): readonly Mutation[] {
  const { below, pick } = random
  const { repeat } = createRanges(random)
  function nest(text: string): Buffer {
    const depth = 2 ** (4 + below(11))
    const [open, close] = pick([['[', ']'] as const, ['{"":', '}'] as const])
    return latin1(open.repeat(depth) + text + close.repeat(depth))
  }
  const nestToken = createOnToken(random)(nest)
  const nestAll: Mutation = (bytes) => nest(bytes.toString('latin1'))
  return [(bytes) => repeat(bytes, 2 ** (4 + below(12))), nestToken, nestAll]
}

/** Changes an input in one to four places. */
export function createMutator(random: Random, sourceWords: ReadonlySet<string>) {
  const { below, pick } = random
  const { range, part } = createRanges(random)
  const common = WORDS.map((word) => Buffer.from(word))
  const fromSources = [...sourceWords].flatMap((word) => [
    Buffer.from(word),
    Buffer.from(JSON.stringify(word)),
  ])
  const pickWord = () => pick(below(2) === 0 || fromSources.length === 0 ? common : fromSources)
  const growths = createGrowths(random)
  const mutations = [...createByteMutations(random, pickWord), ...createTokenMutations(random, pickWord)]

  function mutateBody(bytes: Buffer, other: Buffer): Buffer {
    if (below(12) === 0) return replace(bytes, ...range(bytes), part(other))
    return pick(mutations)(bytes)
  }

  function mutateChoices(choices: Buffer): Buffer {
    // What needs two choices at once shows no coverage after the first.
    if (below(4) === 0) return Buffer.from(Array.from({ length: below(16) }, () => below(SEPARATOR)))
    const position = below(choices.length + 1 + below(4))
    const longer = Buffer.concat([choices, Buffer.alloc(Math.max(0, position + 1 - choices.length))])
    // Not the separator.
    longer[position] = below(SEPARATOR)
    return longer.subarray(0, MAX_CHOICES)
  }

  /** @param other another input, of which a part may be inserted */
  return (bytes: Buffer, other: Buffer): Buffer => {
    let { body, choices } = split(bytes)
    for (let left = 1 + below(4); left > 0; left--) {
      if (below(4) === 0) choices = mutateChoices(choices)
      else body = mutateBody(body, other).subarray(0, MAX_USUAL_BYTES)
    }
    if (below(100) === 0) body = pick(growths)(body).subarray(0, MAX_INPUT_BYTES - 1 - choices.length)
    return choices.length === 0 ? body : Buffer.concat([body, Buffer.from([SEPARATOR]), choices])
  }
}
