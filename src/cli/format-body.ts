import { isUtf8 } from 'node:buffer'
import { isJsonObject, type JsonValue } from '../json/json-value.ts'

/** A notification's body for people: its JSON on many lines, with `data` parsed. Bytes that are not text in Base64. */
export function formatBody(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes)
  if (!isUtf8(buffer)) return buffer.toString('base64')
  const text = buffer.toString()
  try {
    const body = parse(text)
    const envelope =
      isJsonObject(body) && typeof body.data === 'string' ? { ...body, data: tryParse(body.data) } : body
    return JSON.stringify(envelope, null, 2)
  } catch {
    return text
  }
}

function tryParse(text: string): JsonValue {
  try {
    return parse(text)
  } catch {
    return text
  }
}

const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): JsonValue }

/** Keeps the digits of numbers, to print them. */
function parse(text: string): JsonValue {
  return JSON.parse(text, (_key, value, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value,
  )
}
