/** Runs a function after the I/O of this tick of the event loop, if the runtime has a way to. */
const afterTick: (run: () => void) => unknown = globalThis.setImmediate ?? setTimeout
const cancelTick = (globalThis.clearImmediate ?? clearTimeout) as (tick: unknown) => void

/**
 * @param expired creates the error that it rejects with after that time
 * @param failed converts the error of the promise
 */
export function withTimeLimit<Value>(
  promise: PromiseLike<Value>,
  limitMs: number,
  expired: () => Error,
  failed: (error: unknown) => unknown = (error) => error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    // What settles within the tick, such as a body that came with its head, needs no timer.
    let tick = afterTick(() => {
      // After a blocked event loop, the timer fires before what arrived in time is read.
      timer = setTimeout(() => {
        tick = afterTick(() => reject(expired()))
      }, limitMs)
    })
    // A thenable may resolve with a promise that never settles.
    Promise.resolve(promise).then(
      (value) => {
        cancelTick(tick)
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        cancelTick(tick)
        clearTimeout(timer)
        reject(failed(error))
      },
    )
  })
}

/** Whether a promise resolves or rejects within a time limit. Never rejects. */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const settled = Promise.allSettled([promise]).then(() => true)
  return await withTimeLimit(settled, limitMs, () => new Error('too late')).catch(() => false)
}
