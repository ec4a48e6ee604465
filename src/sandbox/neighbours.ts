import type { Closing } from './closing.ts'

const HOLD_MS = 250

/** Has each two neighbours change places: the first waits until the second was answered, or for 250 ms. */
export class Neighbours {
  readonly #closing: Closing
  readonly #held = new Map<string, () => void>()

  constructor(closing: Closing) {
    this.#closing = closing
  }

  /** Resolves when it is one's turn, with what to call after the first answer. */
  async turn(group: string): Promise<() => void> {
    const release = this.#held.get(group)
    if (release) {
      this.#held.delete(group)
      return release
    }
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer)
        forget()
        if (this.#held.get(group) === go) this.#held.delete(group)
        resolve()
      }
      const timer = setTimeout(go, HOLD_MS)
      const forget = this.#closing.add(go)
      this.#held.set(group, go)
    })
    return () => {}
  }
}
