/** Bodies that come with their head are there within these microtasks, and a timer costs more than they do. */
const FREE_MICROTASKS = 3

/**
 * Waits for a promise, but no longer than a time.
 *
 * @param expired makes the error with which it rejects then; what the promise does later is ignored
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
    // A promise of another library may resolve with one that never does.
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
