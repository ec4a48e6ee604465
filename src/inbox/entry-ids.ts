import { createHash } from 'node:crypto'
import type { SignedNotification } from '../notification/signed-notification.ts'
import { toUuid, UUID } from '../to-uuid.ts'

type Identified = Pick<SignedNotification, 'signature' | 'clientId' | 'receivedAt'> & { readonly id: string }

/** Whether it is a UUID in the spelling of entry ids. */
export function isUuid(id: string): boolean {
  return UUID.test(id) && id === id.toLowerCase()
}

/** Whether a value is a UUID of version 7 in the spelling of entry ids. */
export function isEntryId(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value) && value[14] === '7'
}

/** Generates UUIDs of version 7 (RFC 9562), which sort by creation: time, counter, random bits. */
export function createEntryIds(): () => string {
  let time = 0
  let counter = 0
  return () => {
    const now = Date.now()
    if (now > time) {
      time = now
      counter = 0
    } else if (++counter > 0xfff) {
      time += 1
      counter = 0
    }
    const hex = time.toString(16).padStart(12, '0')
    const count = counter.toString(16).padStart(3, '0')
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7${count}-${crypto.randomUUID().slice(19)}`
  }
}

/** The lasting id of an entry, and the number of its replays after it was completed, if there are any. */
export function toIdempotencyKey(lastingId: string, repeats: number): string {
  return repeats === 0 ? lastingId : `${lastingId}:${repeats}`
}

export function fromIdempotencyKey(key: string): { lastingId: string; repeats: number } {
  const [lastingId = '', repeats = '0'] = key.split(':')
  return { lastingId, repeats: Number(repeats) }
}

/**
 * The id that an entry keeps in every inbox that it is moved to, so that an interrupted move can be repeated:
 * its own, or for a job that another program added, one that is always the same.
 */
export function toLastingId({ id, signature, clientId, receivedAt }: Identified): string {
  if (isUuid(id)) return id
  const source = JSON.stringify([id, signature, clientId, receivedAt.getTime()])
  const hash = createHash('sha256').update(source).digest('hex')
  return toUuid(receivedAt.getTime(), hash.slice(0, 18))
}
