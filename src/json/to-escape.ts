/** A UTF-16 unit as JSON escapes it, such as `\u0007`. */
export function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
