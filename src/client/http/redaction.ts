import { Buffer } from 'node:buffer'
import type { JsonValue } from '../../json/json-value.ts'
import { readEscapes, readings } from './read-escapes.ts'

/** Keeps secrets out of everything that is shown: the application's own, and the tokens that are in use. */
export interface Redaction {
  /** Remembers what must not be shown; `undefined` and secrets of fewer than four characters are ignored. */
  add(...secrets: readonly (string | undefined)[]): void
  /** Keeps a secret out of what is shown while `work` runs; after that, it is of no use. */
  during<Result>(secret: string, work: () => Promise<Result>): Promise<Result>
  /** The text without the secrets, and without other tokens in its URLs or its JSON. */
  redact(text: string): string
  /** The same for a text that was cut off, possibly in the middle of a secret. */
  redactBeginning(text: string): string
  /** A copy in which every text and every name is redacted, cut off after 1,000 levels. */
  redactJson(value: JsonValue): JsonValue
  /** An error that says what another one says, and why, without a secret, and without what else it carries. */
  toShown(error: unknown): Error
}

const REPLACEMENT = '[redacted]'
// Tokens are renewed for as long as a process lives; what was replaced this long ago is no secret any more.
const MAX_SECRETS = 100
// Any shorter, and every other word of an error would be taken out.
const MIN_LENGTH = 4
// JSON.stringify runs out of stack at some thousands.
const MAX_DEPTH = 1_000
const MAX_CAUSES = 5

// Tokens that were not added, such as those in callback URLs that another process registered.
const OTHER_TOKENS = /(token(?:=|%3d|\\u003d|\\*"\s*:\s*\\*"))[^\s"<>&#]+/gi
const TOKEN_NAME = /token$/i
// A character beyond the first plane, as JSON or a URL writes it.
const MAX_ESCAPE_LENGTH = 12

export function createRedaction(...own: readonly string[]): Redaction {
  const lasting = own.flatMap(toForms)
  const recent = new Map<string, readonly string[]>()
  const passing = new Map<string, readonly string[]>()

  function add(...secrets: readonly (string | undefined)[]): void {
    for (const secret of secrets) {
      if (secret === undefined) continue
      // Deleted first, to be the newest.
      recent.delete(secret)
      recent.set(secret, toForms(secret))
    }
    for (const oldest of [...recent.keys()].slice(0, -MAX_SECRETS)) recent.delete(oldest)
  }

  async function during<Result>(secret: string, work: () => Promise<Result>): Promise<Result> {
    passing.set(secret, toForms(secret))
    try {
      return await work()
    } finally {
      passing.delete(secret)
    }
  }

  function known(): string[] {
    return [lasting, ...recent.values(), ...passing.values()].flat()
  }

  function redact(text: string): string {
    const hidden = new Uint8Array(text.length)
    const forms = known()
    // As it stands, too: a secret may contain what looks like an escape.
    for (const { read, starts, ends } of readings(text)) {
      findForms(forms, read, (start, end) => hidden.fill(1, starts[start], ends[end - 1]))
    }
    const shown = text.replace(/./gs, (unit, at) => {
      if (hidden[at] === 0) return unit
      return hidden[at - 1] === 1 ? '' : REPLACEMENT
    })
    return shown.replace(OTHER_TOKENS, `$1${REPLACEMENT}`)
  }

  function redactBeginning(text: string): string {
    const lengths = known().map((form) => form.replace(/[^a-z\d]/gi, '-'.repeat(MAX_ESCAPE_LENGTH)).length)
    return redact(text).slice(0, -Math.max(1, ...lengths))
  }

  function redactJson(value: JsonValue, depth: number): JsonValue {
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

  function toShown(error: unknown, depth: number): Error {
    const { name, message, code, cause } = toErrorLike(error)
    const shown = new Error(redact(message))
    const fields = { name, ...(code !== undefined && { code }) }
    for (const [key, value] of Object.entries(fields)) {
      Object.defineProperty(shown, key, { configurable: true, writable: true, value: redact(value) })
    }
    // The stack of the original repeats its message, and says nothing that the name and the causes do not.
    shown.stack = `${shown.name}: ${shown.message}`
    if (cause !== undefined && depth < MAX_CAUSES) shown.cause = toShown(cause, depth + 1)
    return shown
  }

  return {
    add,
    during,
    redact,
    redactBeginning,
    redactJson: (value) => redactJson(value, 0),
    toShown: (error) => toShown(error, 1),
  }
}

/** The forms in which a secret may come back: as it is, in hex, or in base64, alone or inside a longer text. */
function toForms(secret: string): string[] {
  if (secret.length < MIN_LENGTH) return []
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const inBase64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    // Without the digits that share bits with what comes before or after.
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  // What looks like an escape in the secret is read as one if others are beside it.
  const forms = [secret, readEscapes(secret).read, hex, hex.toUpperCase(), ...inBase64]
  return forms.map(fold).filter((form) => form.length >= MIN_LENGTH)
}

/** Takes `+` for a space, as forms do, and the alphabet of base64url for that of base64. */
function fold(text: string): string {
  return text.replace(/[+-]/g, ' ').replaceAll('_', '/')
}

function findForms(
  forms: readonly string[],
  text: string,
  found: (start: number, end: number) => void,
): void {
  const folded = fold(text)
  for (const form of forms) {
    for (let at = folded.indexOf(form); at !== -1; at = folded.indexOf(form, at + form.length)) {
      found(at, at + form.length)
    }
  }
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
