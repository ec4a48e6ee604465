/** Text of the service's without what could make it look like lines of ours. */
export function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, encodeURIComponent)
}
