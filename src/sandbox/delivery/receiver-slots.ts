import { Slots } from './slots.ts'

/** Separate slots for every receiver, so that a slow one does not delay the others. */
export class ReceiverSlots {
  readonly #count: number
  readonly #byOrigin = new Map<string, Slots>()

  /** @param count the number of concurrent tasks per receiver */
  constructor(count: number) {
    this.#count = count
  }

  /** The number of receivers with running tasks. */
  get size(): number {
    return this.#byOrigin.size
  }

  /** Runs a task when the receiver of the URL has a free slot. */
  async run<Result>(url: string, task: () => Promise<Result>): Promise<Result> {
    const { origin } = new URL(url)
    const slots = this.#byOrigin.get(origin) ?? new Slots(this.#count)
    this.#byOrigin.set(origin, slots)
    try {
      return await slots.run(task)
    } finally {
      if (slots.isIdle && this.#byOrigin.get(origin) === slots) this.#byOrigin.delete(origin)
    }
  }
}
