import type { Closing } from './closing.ts'

const HOLD_MS = 250

interface Held {
  readonly signature: string
  readonly released: Promise<void>
  readonly release: () => void
}

/** Swaps pairs of notifications: the first waits until the second has a response, or for 250 ms. */
export class PairSwapper {
  readonly #closing: Closing
  readonly #held = new Map<string, Held>()
  /** The functions that release what a notification has overtaken. */
  readonly #overtaken = new WeakMap<object, () => void>()

  constructor(closing: Closing) {
    this.#closing = closing
  }

  /**
   * Resolves when the notification may be sent, with a function to call after the first response.
   *
   * @param notification the identity that all copies of a notification share
   * @param signature identical bodies are not swapped
   */
  async wait(group: string, notification: object, signature: string): Promise<() => void> {
    const release = this.#overtaken.get(notification)
    if (release) return release
    const held = this.#held.get(group)
    if (held !== undefined && held.signature !== signature) {
      this.#held.delete(group)
      this.#overtaken.set(notification, held.release)
      return held.release
    }
    await (held ?? this.#hold(group, signature)).released
    return () => {}
  }

  #hold(group: string, signature: string): Held {
    const { promise, resolve: release } = Promise.withResolvers<void>()
    const released = Promise.race([promise, this.#closing.pause(HOLD_MS)]).then(() => {
      if (this.#held.get(group) === held) this.#held.delete(group)
    })
    const held: Held = { signature, released, release }
    this.#held.set(group, held)
    return held
  }
}
