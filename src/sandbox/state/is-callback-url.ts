// Characters that URL() would repair or reinterpret.
const CONTROL_OR_SPACE = /[\p{Cc}\s]/u
const MAX_LENGTH = 8_192

export function isCallbackUrl(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return false
  // URL() also accepts http:host, without slashes.
  return /^https?:\/\//i.test(text) && !CONTROL_OR_SPACE.test(text) && URL.canParse(text)
}
