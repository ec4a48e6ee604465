import { randomUUID } from 'node:crypto'

/** An event as it is streamed. */
export interface LoggedEvent {
  readonly id: string
  readonly type: string
  /** JSON. */
  readonly data: string
}

const MOST_KEPT = 20_000

/**
 * The last events, in order. Readers keep a place in the log and nothing else, so that a slow one costs no
 * memory.
 */
export class EventLog {
  // An id of an earlier run must not be taken for one of this run.
  readonly #run = randomUUID().slice(0, 8)
  #events: LoggedEvent[] = []
  /** Number of the first event that is kept. */
  #first = 0
  readonly #wake = new Set<() => void>()

  /** The place after the last event. */
  get end(): number {
    return this.#first + this.#events.length
  }

  append(type: string, value: unknown): void {
    this.#events.push({ id: `${this.#run}-${this.end}`, type, data: JSON.stringify(value) })
    // Cut back by the half, so that not every event moves all the others.
    if (this.#events.length >= 2 * MOST_KEPT) {
      this.#first += MOST_KEPT
      this.#events = this.#events.slice(MOST_KEPT)
    }
    for (const wake of this.#wake) wake()
  }

  /** The place after an event; `undefined` for one that is not known any more. */
  placeAfter(id: string): number | undefined {
    const [run, number] = id.split('-')
    const place = Number(number) + 1
    return run === this.#run && place >= this.#first && place <= this.end ? place : undefined
  }

  /** Up to `most` events from a place on; `undefined` if the first of them is gone. */
  read(place: number, most: number): readonly LoggedEvent[] | undefined {
    if (place < this.#first) return undefined
    return this.#events.slice(place - this.#first, place - this.#first + most)
  }

  /** Calls a function after every event, until the function that it returns is called. */
  onAppend(wake: () => void): () => void {
    this.#wake.add(wake)
    return () => this.#wake.delete(wake)
  }
}
