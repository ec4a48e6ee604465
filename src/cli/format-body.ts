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
  const body = tryParse(buffer.toString())
  if (!isJsonObject(body)) return buffer.toString()
  const { data } = body
  return JSON.stringify({ ...body, ...(typeof data === 'string' && { data: tryParse(data) }) }, null, 2)
}

function tryParse(text: string): unknown {
  try {
    return readJson(text)
  } catch {
    return text
  }
}
