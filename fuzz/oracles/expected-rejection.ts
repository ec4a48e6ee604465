import { isUtf8 } from 'node:buffer'
import { readJson, type Written } from './read-json.ts'

/** An envelope, or the code of the error that a body must cause. */
export type ReadBody = (Written & { readonly type: 'object' }) | PayloadCode

type PayloadCode = 'payload_not_utf8' | 'payload_not_json' | 'envelope_invalid'

export function readBody(body: Uint8Array): ReadBody {
  if (!isUtf8(body)) return 'payload_not_utf8'
  const written = readJson(new TextDecoder().decode(body))
  if (written === undefined) return 'payload_not_json'
  const type = written.type === 'object' ? written.members.get('type') : undefined
  const hasKind = type?.type === 'plain' && typeof type.value === 'string'
  return written.type === 'object' && hasKind ? written : 'envelope_invalid'
}
