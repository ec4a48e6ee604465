import { Slots } from './slots.ts'

/** Slots for every receiver, so that one that does not answer keeps none from the others. */
export class ReceiverSlots {
  readonly #count: number
  readonly #byOrigin = new Map<string, Slots>()

  /** @param count how many tasks run at once for one receiver */
  constructor(count: number) {
    this.#count = count
  }

  /** How many receivers something runs for. */
  get size(): number {
    return this.#byOrigin.size
  }

  /** Runs a task when there is a slot for the receiver at the URL. */
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
