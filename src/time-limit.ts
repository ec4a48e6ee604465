/** Runs a function at the end of this turn of the event loop, if the runtime can tell. */
const atEndOfTurn: (run: () => void) => unknown = globalThis.setImmediate ?? setTimeout

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
    let settled = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = () => {
      settled = true
      clearTimeout(timer)
    }
    // A thenable may resolve with a promise that never settles.
    Promise.resolve(promise).then(
      (value) => {
        settle()
        resolve(value)
      },
      (error) => {
        settle()
        reject(error)
      },
    )
    // A body that comes with its head is read within the turn, and a timer costs more than that.
    atEndOfTurn(() => {
      if (!settled) timer = setTimeout(() => reject(expired()), limitMs)
    })
  })
}
