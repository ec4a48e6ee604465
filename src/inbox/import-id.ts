import { createHash } from 'node:crypto'
import type { InboxEntry } from './inbox.ts'

/**
 * The id of an entry in the inbox that it is moved to: always the same, so that an interrupted move can be
 * repeated. A UUID of version 7, which sorts by the time of arrival.
 */
export function toImportId({ id, signature, clientId, receivedAt }: InboxEntry): string {
  const source = JSON.stringify([id, signature, clientId, receivedAt.getTime()])
  const hash = createHash('sha256').update(source).digest('hex')
  const time = Math.max(receivedAt.getTime(), 0).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`
}
