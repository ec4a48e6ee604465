/** Which of the following notifications or requests have faults. */
export interface Planned<Each> {
  /** Faults of the first, the second and so on, repeated after the last. `{}` is no fault. */
  readonly sequence?: readonly Each[] | undefined
  /** How many have faults. @default no limit */
  readonly times?: number | undefined
}

/** Assigns faults to one after the other. */
export class FaultPlan<Each extends object> {
  readonly #always: Each
  readonly #sequence: readonly Each[]
  #left: number
  #next = 0

  constructor({ sequence = [], times = Number.POSITIVE_INFINITY, ...always }: Each & Planned<Each>) {
    this.#always = always as unknown as Each
    this.#sequence = sequence
    this.#left = times
  }

  /** The faults of the next one. */
  next(): Partial<Each> {
    if (this.#left === 0) return {}
    this.#left--
    return { ...this.#always, ...this.#sequence[this.#next++ % this.#sequence.length] }
  }
}
