/** Everything to cancel when a sandbox is closed: timers, requests, waits. */
export class Closing {
  closed = false
  readonly #undo = new Set<() => void>()

  /** Calls `undo` when the sandbox is closed, or at once if it is. Returns a function that removes it. */
  add(undo: () => void): () => void {
    if (this.closed) undo()
    this.#undo.add(undo)
    return () => this.#undo.delete(undo)
  }

  /** Waits, but ends early if the sandbox is closed. */
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
