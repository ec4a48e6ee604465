import { createHash } from 'node:crypto'
import { UUID } from '../../to-uuid.ts'
import { BoundedMap } from './bounded-map.ts'

const MAX_IDS = 100_000

export function createRequestIds(acceptAny: boolean) {
  const used = new BoundedMap<string, true>(MAX_IDS)
  return {
    reset: () => used.clear(),

    /** Marks an id as used. */
    take(id: string | undefined): 'taken' | 'missing' | 'malformed' | 'reused' {
      if (!id) return 'missing'
      const isUuid = UUID.test(id)
      if (!acceptAny && !isUuid) return 'malformed'
      // Hashed, so that ids of any length use the same memory. UUIDs are case-insensitive.
      const key = createHash('sha256')
        .update(isUuid ? id.toLowerCase() : id)
        .digest('base64')
      if (used.has(key)) return 'reused'
      used.set(key, true)
      return 'taken'
    },
  }
}
