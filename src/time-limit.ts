/** Runs a function at the end of this turn of the event loop, if the runtime can tell. */
const atEndOfTurn: (run: () => void) => unknown = globalThis.setImmediate ?? setTimeout

/**
 * Waits for a promise, but no longer than a limit. What the promise does after that is ignored.
 *
 * @param expired makes the error with which it then rejects
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
    // A promise of another library may resolve with one that never settles.
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
