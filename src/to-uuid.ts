export const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

const MAX_TIME = 2 ** 48 - 1

/** A UUID of version 7 (RFC 9562), of a time in milliseconds since 1970 and 18 hex digits. */
export function toUuid(time: number, digits: string): string {
  const hex = Math.min(Math.max(time, 0), MAX_TIME).toString(16).padStart(12, '0')
  const [first, second, third] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)]
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${first}-8${second}-${third}`
}
