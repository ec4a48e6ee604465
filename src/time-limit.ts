/** Runs a function at the end of this turn of the event loop, if the runtime can tell. */
const atEndOfTurn: (run: () => void) => unknown = globalThis.setImmediate ?? setTimeout

/**
 * Calls `expire` after `limitMs`, unless the returned function has been called before.
 *
 * @returns a function that ends the limit. It returns `false` if the limit has already ended.
 */
export function startTimeLimit(limitMs: number, expire: () => void): () => boolean {
  let active = true
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    const wasActive = active
    active = false
    clearTimeout(timer)
    return wasActive
  }
  // A body that comes with its head is read within the turn, and a timer costs more than that.
  atEndOfTurn(() => {
    if (active) timer = setTimeout(() => end() && expire(), limitMs)
  })
  return end
}

/**
 * Waits for a promise, but not longer than `limitMs`.
 *
 * @param expired creates the error that it rejects with after that time
 */
export function withTimeLimit<Value>(
  promise: PromiseLike<Value>,
  limitMs: number,
  expired: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const end = startTimeLimit(limitMs, () => reject(expired()))
    // A thenable may resolve with a promise that never settles.
    Promise.resolve(promise).then(
      (value) => {
        end()
        resolve(value)
      },
      (error) => {
        end()
        reject(error)
      },
    )
  })
}
