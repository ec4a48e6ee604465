/** Which of the following notifications or requests have faults. */
export interface Planned<Each> {
  /** Faults of the first, the second and so on, repeated after the last. `{}` is no fault. */
  readonly sequence?: readonly Each[] | undefined
  /** How many have faults. Default: no limit. */
  readonly times?: number | undefined
  /** The probability of faults. The same seed always selects the same ones. */
  readonly chance?: { readonly probability: number; readonly seed: number } | undefined
}

/** Assigns faults to one after the other. */
export class FaultPlan<Each extends object> {
  readonly #always: Each
  readonly #sequence: readonly Each[]
  readonly #probability: number
  #left: number
  #next = 0
  #seed: number

  constructor({ sequence = [], times = Number.POSITIVE_INFINITY, chance, ...always }: Each & Planned<Each>) {
    this.#always = always as unknown as Each
    this.#sequence = sequence
    this.#left = times
    this.#probability = chance?.probability ?? 1
    this.#seed = chance?.seed ?? 0
  }

  /** The faults of the next one. */
  next(): Partial<Each> {
    if (this.#left === 0 || this.#draw() >= this.#probability) return {}
    this.#left--
    return { ...this.#always, ...this.#sequence[this.#next++ % this.#sequence.length] }
  }

  /** Mulberry32: a pseudo-random number from 0 to below 1. */
  #draw(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
