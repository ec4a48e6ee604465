import { isUtf8 } from 'node:buffer'
import { isJsonObject } from '../json/json-value.ts'
import { readJson } from '../testing/rewritten-bodies.ts'

/**
 * A notification's body for people: its JSON on many lines, with `data` parsed. Bytes that are not text in
 * Base64.
 */
export function formatBody(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes)
  if (!isUtf8(buffer)) return buffer.toString('base64')
  const text = buffer.toString()
  try {
    const body = readJson(text)
    const envelope =
      isJsonObject(body) && typeof body.data === 'string' ? { ...body, data: tryParse(body.data) } : body
    return JSON.stringify(envelope, null, 2)
  } catch {
    return text
  }
}

function tryParse(text: string): unknown {
  try {
    return readJson(text)
  } catch {
    return text
  }
}
