import { Buffer } from 'node:buffer'
import type { JsonValue } from '../../json/json-value.ts'

const REPLACEMENT = '[redacted]'
const MAX_SECRETS = 100
// Anything shorter occurs in ordinary words.
const MIN_LENGTH = 4
// JSON.stringify runs out of stack at a few thousand.
const MAX_DEPTH = 1_000
const MAX_CAUSES = 5

// Tokens that were never added, such as those in callback URLs that another process registered.
const OTHER_TOKENS = /(token(?:=|%3d|\\?"\s*:\s*\\?"))[^\s"<>&#]+/gi
const TOKEN_NAME = /token$/i

export type Redaction = ReturnType<typeof createRedaction>

/** @param own the application's secrets, which are never forgotten */
export function createRedaction(...own: readonly string[]) {
  const added = new Set<string>()
  let compiled: ReturnType<typeof compile> | undefined
  const known = () => (compiled ??= compile([...own, ...added]))

  /** Adds secrets. The last 100 are remembered; anything shorter than 4 characters is ignored. */
  function add(...secrets: readonly (string | undefined)[]): void {
    const fresh = secrets.filter((secret) => secret !== undefined && !added.has(secret)) as string[]
    if (fresh.length === 0) return
    for (const secret of fresh) added.add(secret)
    for (const oldest of [...added].slice(0, -MAX_SECRETS)) added.delete(oldest)
    compiled = undefined
  }

  /** Replaces the secrets in a text, and whatever a URL or JSON in it calls a token. */
  function redact(text: string): string {
    return text.replace(known().pattern, REPLACEMENT).replace(OTHER_TOKENS, `$1${REPLACEMENT}`)
  }

  /** Redacts every string and name in a JSON value, which is cut off after 1,000 levels. */
  function redactJson(value: JsonValue, depth = 0): JsonValue {
    if (typeof value === 'string') return redact(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth === MAX_DEPTH) return `[more than ${MAX_DEPTH} levels]`
    if (Array.isArray(value)) return value.map((member) => redactJson(member, depth + 1))
    const members = Object.entries(value).map(([name, member]) => {
      const isToken = typeof member === 'string' && TOKEN_NAME.test(name)
      return [redact(name), isToken ? REPLACEMENT : redactJson(member, depth + 1)] as const
    })
    return Object.fromEntries(members)
  }

  /** A copy of an error with its name, message, codes and causes redacted, and nothing else. */
  function redactError(error: unknown, depth = 1): Error {
    const { name, message, code, syscall, cause } = Object(error) as Readonly<Record<string, unknown>>
    const redacted = new Error(redact(typeof message === 'string' ? message : String(error)))
    for (const [key, value] of Object.entries({ name, code, syscall })) {
      if (typeof value === 'string') Object.defineProperty(redacted, key, { value: redact(value) })
    }
    // The original stack repeats the original message.
    redacted.stack = `${redacted.name}: ${redacted.message}`
    if (cause !== undefined && depth < MAX_CAUSES) redacted.cause = redactError(cause, depth + 1)
    return redacted
  }

  /** Redacts the beginning of a text, which may end in the middle of a secret. */
  function redactBeginning(text: string): string {
    return redact(text).slice(0, -known().maxLength)
  }

  return { add, redact, redactBeginning, redactJson, redactError }
}

/** One pattern for all forms of all secrets, the longest first. */
function compile(secrets: readonly string[]): { readonly pattern: RegExp; readonly maxLength: number } {
  const forms = [...new Set(secrets.filter(({ length }) => length >= MIN_LENGTH).flatMap(toForms))]
  const sorted = forms.sort((left, right) => right.length - left.length)
  const source = sorted.map((form) => form.replace(/[^\w]/g, '\\$&')).join('|')
  // Hexadecimal digits of an escape come in either case.
  return { pattern: new RegExp(source || '(?!)', 'gi'), maxLength: sorted[0]?.length ?? 1 }
}

/** The forms in which a service may send a secret back: as it is, and in URLs, forms, JSON and base64. */
function toForms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    String(new URLSearchParams({ '': secret })).slice(1),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}

/** Percent-encodes control characters, to prevent log injection. */
export function encodeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, encodeURIComponent)
}
