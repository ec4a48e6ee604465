import type { JsonObject, JsonValue } from '../json/json-value.ts'
import { longestSpelling, toSecretPattern } from './secret-pattern.ts'

/** Keeps secrets out of everything that is shown: the application's own, and the tokens that are in use. */
export interface Redaction {
  /** Remembers what must not be shown; `undefined`, and what is too short to be a secret, is passed over. */
  add(...secrets: readonly (string | undefined)[]): void
  /** Keeps a secret out of what is shown while `work` runs, after which it is good for nothing. */
  during<Result>(secret: string, work: () => Promise<Result>): Promise<Result>
  /** The text with every secret in it replaced. */
  redact(text: string): string
  /** The same for a text that was cut off, perhaps in the middle of a secret. */
  redactBeginning(text: string): string
  /** A copy in which every text, and every name, is redacted. */
  redactJson(value: JsonValue): JsonValue
  /** An error that says what another one says, and why, without a secret, and without what else it carries. */
  toShown(error: unknown): Error
}

const REPLACEMENT = '[redacted]'
// Tokens are renewed for as long as a process lives; what was replaced this long ago is no secret any more.
const MAX_SECRETS = 100
// Any shorter, and every other word of an error would be taken out.
const MIN_LENGTH = 4
const MAX_CAUSES = 5

export function createRedaction(...lasting: readonly string[]): Redaction {
  const recent = new Set<string>()
  const passing = new Set<string>()
  const patterns = new Map<string, RegExp>()

  function add(...secrets: readonly (string | undefined)[]): void {
    for (const secret of secrets) {
      if (secret === undefined || secret.length < MIN_LENGTH) continue
      recent.delete(secret)
      recent.add(secret)
      const [oldest] = recent
      if (recent.size > MAX_SECRETS && oldest !== undefined) {
        recent.delete(oldest)
        patterns.delete(oldest)
      }
    }
  }

  async function during<Result>(secret: string, work: () => Promise<Result>): Promise<Result> {
    if (secret.length < MIN_LENGTH) return await work()
    passing.add(secret)
    try {
      return await work()
    } finally {
      passing.delete(secret)
      patterns.delete(secret)
    }
  }

  /** All that must not be seen, longest first, so that a secret that begins with another one leaves nothing behind. */
  function known(): string[] {
    return [...lasting, ...recent, ...passing].sort((a, b) => b.length - a.length)
  }

  function createReplace(): (text: string) => string {
    const secrets = known()
    return (text) => secrets.reduce(replaceOne, text)
  }

  function replaceOne(text: string, secret: string): string {
    // No spelling is shorter than the secret; most texts are.
    if (text.length < secret.length) return text
    const pattern = patterns.get(secret) ?? toSecretPattern(secret)
    patterns.set(secret, pattern)
    return text.replace(pattern, REPLACEMENT)
  }

  function redactBeginning(text: string): string {
    const longest = Math.max(0, ...known().map(longestSpelling))
    return longest === 0 ? text : createReplace()(text).slice(0, -longest)
  }

  function redactJson(value: JsonValue): JsonValue {
    const replace = createReplace()
    const top: JsonValue[] = [value]
    // Not by recursion: what the service sends may nest deep enough to exhaust the stack.
    const pending: (JsonValue[] | JsonObject)[] = [top]
    for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
      const entries = holder as JsonObject
      for (const [name, member] of Object.entries(entries)) {
        const redacted = typeof member === 'string' ? replace(member) : copyOf(member)
        const shown = replace(name)
        if (shown !== name) delete entries[name]
        Object.defineProperty(entries, shown, { ...PLAIN, value: redacted })
        if (typeof redacted === 'object' && redacted !== null) pending.push(redacted)
      }
    }
    return top[0] as JsonValue
  }

  function toShown(error: unknown, depth: number): Error {
    const replace = createReplace()
    const { name, message, code, cause } = toErrorLike(error)
    const shown = new Error(replace(message))
    const fields = { name, ...(code !== undefined && { code }) }
    for (const [key, value] of Object.entries(fields)) {
      Object.defineProperty(shown, key, { ...PLAIN, enumerable: false, value: replace(value) })
    }
    // The stack of the original repeats its message, and says nothing that the name and the causes do not.
    shown.stack = `${shown.name}: ${shown.message}`
    if (cause !== undefined && depth < MAX_CAUSES) shown.cause = toShown(cause, depth + 1)
    return shown
  }

  return {
    add,
    during,
    redact: (text) => createReplace()(text),
    redactBeginning,
    redactJson,
    toShown: (error) => toShown(error, 1),
  }
}

// Also for a name such as __proto__.
const PLAIN = { enumerable: true, configurable: true, writable: true }

function copyOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return [...value]
  return typeof value === 'object' && value !== null ? { ...value } : value
}

interface ErrorLike {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly cause?: unknown
}

/** What can be told of a thrown value, which may be anything. */
function toErrorLike(thrown: unknown): ErrorLike {
  if (typeof thrown !== 'object' || thrown === null) return { name: 'Error', message: String(thrown) }
  const { name, message, code, cause } = thrown as Readonly<Record<string, unknown>>
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : 'something that is no error was thrown',
    ...(typeof code === 'string' && { code }),
    cause,
  }
}
