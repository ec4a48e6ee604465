import { UUID } from '../../to-uuid.ts'
import { HttpError, invalid } from '../http-error.ts'
import { BoundedMap } from './bounded-map.ts'

const MAX_IDS = 100_000

export function createRequestIds(acceptAny: boolean) {
  const used = new BoundedMap<string, true>(MAX_IDS)
  return {
    reset: () => used.clear(),

    take(id: string | undefined): void {
      if (!id) throw invalid('X-Request-Id is missing')
      const isUuid = UUID.test(id)
      if (!acceptAny && !isUuid) throw invalid('X-Request-Id must be a UUID')
      // UUIDs are case-insensitive.
      const key = isUuid ? id.toLowerCase() : id
      if (used.has(key)) throw new HttpError(409, 'X-Request-Id was used before')
      used.set(key, true)
    },
  }
}
