import { randomUUID } from 'node:crypto'
import type { StreamEvents } from '../control/wire.ts'

/** An event of the stream. */
export interface LoggedEvent {
  readonly id: string
  readonly type: string
  /** JSON. */
  readonly data: string
}

const MOST_KEPT = 20_000

/**
 * The last events, in order. A reader only has a position in the log, so that a slow one uses no memory.
 */
export class EventLog {
  // Distinguishes ids from those of an earlier run.
  readonly #run = randomUUID().slice(0, 8)
  #events: LoggedEvent[] = []
  /** The number of the first kept event. */
  #first = 0
  readonly #wake = new Set<() => void>()

  /** The position after the last event. */
  get end(): number {
    return this.#first + this.#events.length
  }

  append<Type extends keyof StreamEvents>(type: Type, value: StreamEvents[Type]): void {
    this.#events.push({ id: `${this.#run}-${this.end}`, type, data: JSON.stringify(value) })
    // Halved, so that not every event moves all others.
    if (this.#events.length >= 2 * MOST_KEPT) {
      this.#first += MOST_KEPT
      this.#events = this.#events.slice(MOST_KEPT)
    }
    for (const wake of this.#wake) wake()
  }

  /** The position after an event; `undefined` if the event is no longer known. */
  placeAfter(id: string): number | undefined {
    const [run, number] = id.split('-')
    const place = Number(number) + 1
    return run === this.#run && place >= this.#first && place <= this.end ? place : undefined
  }

  /** Up to `most` events from a position; `undefined` if the first of them is no longer kept. */
  read(place: number, most: number): readonly LoggedEvent[] | undefined {
    if (place < this.#first) return undefined
    return this.#events.slice(place - this.#first, place - this.#first + most)
  }

  /** Calls a function after every event. Returns a function that stops it. */
  onAppend(wake: () => void): () => void {
    this.#wake.add(wake)
    return () => this.#wake.delete(wake)
  }
}
