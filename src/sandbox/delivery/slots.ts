/** Limits the number of concurrent tasks. The others wait in order. */
export class Slots {
  readonly #count: number
  #free: number
  #waiting: (() => void)[] = []
  #next = 0

  constructor(count: number) {
    this.#count = count
    this.#free = count
  }

  get isIdle(): boolean {
    return this.#free === this.#count
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await task()
    } finally {
      this.#release()
    }
  }

  #release(): void {
    const next = this.#waiting[this.#next]
    if (next === undefined) {
      this.#free++
      return
    }
    this.#next++
    // shift() would move all waiting tasks each time.
    if (this.#next === this.#waiting.length) {
      this.#waiting = []
      this.#next = 0
    }
    next()
  }
}
