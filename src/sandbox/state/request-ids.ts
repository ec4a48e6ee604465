import { createHash } from 'node:crypto'
import { BoundedMap } from './bounded-map.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MAX_IDS = 100_000

/** The last 100,000 `X-Request-Id` values that were used. */
export class RequestIds {
  readonly #acceptAny: boolean
  readonly #used = new BoundedMap<string, true>(MAX_IDS)

  constructor(acceptAny: boolean) {
    this.#acceptAny = acceptAny
  }

  reset(): void {
    this.#used.clear()
  }

  /** Marks an id as used. */
  take(id: string | undefined): 'taken' | 'missing' | 'malformed' | 'reused' {
    if (!id) return 'missing'
    if (!this.#acceptAny && !UUID.test(id)) return 'malformed'
    // Hashed, so that ids of any length use the same memory. UUIDs are case-insensitive.
    const key = createHash('sha256')
      .update(UUID.test(id) ? id.toLowerCase() : id)
      .digest('base64')
    if (this.#used.has(key)) return 'reused'
    this.#used.set(key, true)
    return 'taken'
  }
}
