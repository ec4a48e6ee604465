import { BoundedMap } from '../state/bounded-map.ts'
import type { Closing } from './closing.ts'

const HOLD_MS = 250
const MAX_PASSED = 1_000

/** A held notification, and a function that releases it and its copies. */
interface Held {
  readonly signature: string
  readonly joined: Promise<void>
  readonly release: () => void
}

/** A notification that has just overtaken a held one. */
interface Passed {
  readonly notification: object
  readonly responded: () => void
}

/** Swaps pairs of notifications: the first waits until the second has a response, or for 250 ms. */
export class Neighbours {
  readonly #closing: Closing
  readonly #held = new Map<string, Held>()
  readonly #passed = new BoundedMap<string, Passed>(MAX_PASSED)

  constructor(closing: Closing) {
    this.#closing = closing
  }

  /**
   * Resolves when the notification may be sent, with a function to call after the first response.
   *
   * @param notification the identity that all copies of a notification share
   * @param signature the signature. Identical bodies are not swapped.
   */
  async wait(group: string, notification: object, signature: string): Promise<() => void> {
    if (this.#closing.closed) return nothing
    const passed = this.#passed.get(group)
    if (passed?.notification === notification) return passed.responded
    const held = this.#held.get(group)
    if (held !== undefined && held.signature !== signature) {
      this.#held.delete(group)
      this.#passed.set(group, { notification, responded: held.release })
      return held.release
    }
    await (held ?? this.#hold(group, signature)).joined
    return nothing
  }

  #hold(group: string, signature: string): Held {
    const { promise: joined, resolve } = Promise.withResolvers<void>()
    const release = () => {
      clearTimeout(timer)
      forget()
      if (this.#held.get(group) === held) this.#held.delete(group)
      resolve()
    }
    const timer = setTimeout(release, HOLD_MS)
    const forget = this.#closing.add(release)
    const held: Held = { signature, joined, release }
    this.#held.set(group, held)
    return held
  }
}

function nothing(): void {}
