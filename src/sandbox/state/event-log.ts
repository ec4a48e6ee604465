import { randomUUID } from 'node:crypto'
import { BoundedMap } from './bounded-map.ts'

export interface LoggedEvent {
  readonly id: string
  readonly type: string
  /** JSON. */
  readonly data: string
}

const MAX_BYTES = 16 * 1024 * 1024
const EVENT_BYTES = 100

/** The last events, in order. A reader only has a position in it, so that a slow one uses no memory. */
export class EventLog<Events extends object> {
  // Distinguishes ids from those of an earlier run.
  readonly #run = randomUUID().slice(0, 8)
  readonly #events = new BoundedMap<number, LoggedEvent>(MAX_BYTES, ({ data }) => data.length + EVENT_BYTES)
  readonly #wake = new Set<() => void>()
  #end = 0

  get end(): number {
    return this.#end
  }

  append<Type extends keyof Events & string>(type: Type, value: Events[Type]): void {
    const position = this.#end++
    this.#events.set(position, { id: `${this.#run}-${position}`, type, data: JSON.stringify(value) })
    for (const wake of this.#wake) wake()
  }

  /** The position after an event; `undefined` if the event is no longer known. */
  positionAfter(id: string): number | undefined {
    const [, run, number] = /^(\w+)-(\d+)$/.exec(id) ?? []
    const position = Number(number) + 1
    return run === this.#run && position <= this.#end && this.#isKept(position) ? position : undefined
  }

  /** Up to `most` events from a position; `undefined` if the first of them is no longer kept. */
  read(position: number, most: number): readonly LoggedEvent[] | undefined {
    if (!this.#isKept(position)) return undefined
    const length = Math.min(most, this.#end - position)
    return Array.from({ length }, (_, index) => this.#events.get(position + index) as LoggedEvent)
  }

  /** Calls a function after every event. Returns a function that stops it. */
  onAppend(wake: () => void): () => void {
    this.#wake.add(wake)
    return () => this.#wake.delete(wake)
  }

  #isKept(position: number): boolean {
    return position >= this.#end - this.#events.size
  }
}
