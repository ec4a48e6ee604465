/** A body that arrives with its head settles within these microtasks, which cost less than a timer. */
const FREE_MICROTASKS = 3

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
    void armLater()

    async function armLater(): Promise<void> {
      for (let microtask = 0; microtask < FREE_MICROTASKS && !settled; microtask++) await undefined
      if (!settled) timer = setTimeout(() => reject(expired()), limitMs)
    }
  })
}
