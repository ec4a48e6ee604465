const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

export function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** The text of bytes, or `undefined` if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** The text of bytes, with U+FFFD for what is not UTF-8. */
export function decodeLossy(bytes: Uint8Array): string {
  return lenient.decode(bytes)
}

/** Offset, sixteen bytes in hexadecimal, and what is printable of them. */
export function hexDump(bytes: Uint8Array, start: number, end: number): string {
  const lines: string[] = []
  for (let at = start; at < Math.min(bytes.length, end); at += 16) {
    const row = Array.from(bytes.subarray(at, at + 16))
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '·')).join('')
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${text}`)
  }
  return lines.join('\n')
}
