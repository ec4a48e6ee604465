import { BoundedMap } from '../bounded-map.ts'
import type { Closing } from './closing.ts'

const HOLD_MS = 250
const MAX_PASSED = 1_000

/** What is held, with what lets it and its copies go. */
interface Held {
  readonly deliveryId: string
  readonly joined: Promise<void>
  readonly release: () => void
}

/** What has just passed by one that was held. */
interface Passed {
  readonly notification: object
  readonly answered: () => void
}

/** Has each two neighbours change places: the first waits until the second was answered, or for 250 ms. */
export class Neighbours {
  readonly #closing: Closing
  readonly #held = new Map<string, Held>()
  readonly #passed = new BoundedMap<string, Passed>(MAX_PASSED)

  constructor(closing: Closing) {
    this.#closing = closing
  }

  /**
   * Resolves when it is one's turn, with what to call after the first answer.
   *
   * @param notification what the copies of one notification have in common
   * @param deliveryId what one body has in common: it gains nothing by changing places with itself
   */
  async turn(group: string, notification: object, deliveryId: string): Promise<() => void> {
    if (this.#closing.closed) return nothing
    const passed = this.#passed.get(group)
    if (passed?.notification === notification) return passed.answered
    const held = this.#held.get(group)
    if (held !== undefined && held.deliveryId !== deliveryId) {
      this.#held.delete(group)
      this.#passed.set(group, { notification, answered: held.release })
      return held.release
    }
    await (held ?? this.#hold(group, deliveryId)).joined
    return nothing
  }

  #hold(group: string, deliveryId: string): Held {
    const { promise: joined, resolve } = Promise.withResolvers<void>()
    const release = () => {
      clearTimeout(timer)
      forget()
      if (this.#held.get(group) === held) this.#held.delete(group)
      resolve()
    }
    const timer = setTimeout(release, HOLD_MS)
    const forget = this.#closing.add(release)
    const held: Held = { deliveryId, joined, release }
    this.#held.set(group, held)
    return held
  }
}

function nothing(): void {}
