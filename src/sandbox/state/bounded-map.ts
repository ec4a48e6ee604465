/** A map that drops its oldest entries while the sum of their sizes is above a limit. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number
  readonly #sizeOf: (value: Value) => number
  readonly #sizes = new Map<Key, number>()
  // Kept while only this drops entries: a new one would skip all of them again. One that is not used keeps what
  // is gone in memory.
  #oldest: MapIterator<Key> | undefined
  #total = 0

  /** @param sizeOf the size of a value when it is set. Default: 1, so that the limit is a number of entries */
  constructor(limit: number, sizeOf: (value: Value) => number = () => 1) {
    super()
    this.#limit = limit
    this.#sizeOf = sizeOf
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    const size = this.#sizeOf(value)
    super.set(key, value)
    this.#sizes.set(key, size)
    this.#total += size
    while (this.#total > this.#limit) {
      this.#oldest ??= this.keys()
      this.#drop(this.#oldest.next().value as Key)
    }
    return this
  }

  override delete(key: Key): boolean {
    const wasThere = this.#drop(key)
    if (wasThere) this.#oldest = undefined
    return wasThere
  }

  override clear(): void {
    super.clear()
    this.#sizes.clear()
    this.#total = 0
    this.#oldest = undefined
  }

  #drop(key: Key): boolean {
    this.#total -= this.#sizes.get(key) ?? 0
    this.#sizes.delete(key)
    return super.delete(key)
  }
}
