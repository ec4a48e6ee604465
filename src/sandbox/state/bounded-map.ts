/** A map that drops its oldest entries while the sum of their sizes is above a limit. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number
  readonly #sizeOf: (value: Value) => number
  readonly #sizes = new Map<Key, number>()
  // Kept, because a new iterator would skip all dropped entries each time.
  readonly #oldest = this.keys()
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
    while (this.#total > this.#limit) this.delete(this.#oldest.next().value as Key)
    return this
  }

  override delete(key: Key): boolean {
    this.#total -= this.#sizes.get(key) ?? 0
    this.#sizes.delete(key)
    return super.delete(key)
  }

  override clear(): void {
    super.clear()
    this.#sizes.clear()
    this.#total = 0
  }
}
