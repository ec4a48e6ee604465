/** Keeps secrets out of everything that is shown: the application's own, and the tokens that are in use. */
export interface Redaction {
  /** Remembers what must not be shown; `undefined` and the empty string are passed over. */
  add(...secrets: readonly (string | undefined)[]): void
  /** The text with every secret in it replaced. */
  redact(text: string): string
  /** An error that says what another one says, and why, without a secret, and without what else it carries. */
  toShown(error: unknown): Error
}

const REPLACEMENT = '[redacted]'
// Tokens are renewed for as long as a process lives; what was replaced this long ago is no secret any more.
const MAX_SECRETS = 100
const MAX_CAUSES = 5

export function createRedaction(...lasting: readonly string[]): Redaction {
  const always = lasting.flatMap(spellings)
  const recent = new Set<string>()

  function add(...secrets: readonly (string | undefined)[]): void {
    for (const secret of secrets) {
      if (secret === undefined || secret === '') continue
      recent.delete(secret)
      recent.add(secret)
      const [oldest] = recent
      if (recent.size > MAX_SECRETS && oldest !== undefined) recent.delete(oldest)
    }
  }

  function redact(text: string): string {
    // Longest first, so that a secret that begins with another one leaves nothing behind.
    const secrets = [...always, ...[...recent].flatMap(spellings)].sort((a, b) => b.length - a.length)
    let redacted = text
    for (const secret of secrets) redacted = redacted.replaceAll(secret, REPLACEMENT)
    return redacted
  }

  function toShown(error: unknown, depth = 1): Error {
    if (!isErrorLike(error)) return new Error(redact(String(error)))
    const { name, message, code, cause } = error
    const shown = new Error(redact(String(message)))
    const fields = { name, ...(typeof code === 'string' && { code }) }
    for (const [key, value] of Object.entries(fields)) {
      Object.defineProperty(shown, key, { value: redact(String(value)), configurable: true, writable: true })
    }
    // The stack of the original repeats its message, and says nothing that the name and the causes do not.
    shown.stack = `${shown.name}: ${shown.message}`
    if (cause !== undefined && depth < MAX_CAUSES) shown.cause = toShown(cause, depth + 1)
    return shown
  }

  return { add, redact, toShown: (error) => toShown(error) }
}

interface ErrorLike {
  readonly name: string
  readonly message: string
  readonly code?: unknown
  readonly cause?: unknown
}

function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null && 'message' in value && 'name' in value
}

/** A secret as it may stand in a text: plain, within JSON, within JSON as PHP writes it, within a URL. */
function spellings(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1)
  return [...new Set([secret, inJson, inJson.replaceAll('/', '\\/'), ...encoded(secret)])]
}

function encoded(secret: string): string[] {
  // A lone surrogate has no percent encoding.
  return secret.isWellFormed()
    ? [encodeURIComponent(secret), String(new URLSearchParams({ '': secret })).slice(1)]
    : []
}
