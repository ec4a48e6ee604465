/** What has to be let go when a sandbox is closed: timers, requests, everything that somebody waits for. */
export class Closing {
  closed = false
  readonly #undo = new Set<() => void>()

  /** Has something undone when the sandbox is closed; returns what forgets it again. */
  add(undo: () => void): () => void {
    this.#undo.add(undo)
    return () => this.#undo.delete(undo)
  }

  /** Waits, or less when the sandbox is closed. */
  async pause(ms: number): Promise<void> {
    if (ms === 0 || this.closed) return
    await new Promise<void>((resolve) => {
      const forget = this.add(done)
      const timer = setTimeout(done, ms)
      function done(): void {
        clearTimeout(timer)
        forget()
        resolve()
      }
    })
  }

  close(): void {
    this.closed = true
    for (const undo of [...this.#undo]) undo()
  }
}
