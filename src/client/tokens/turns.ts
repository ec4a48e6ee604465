/** Runs one piece of work at a time, in the order of their coming. */
export type TakeTurn = <Result>(work: () => Promise<Result>) => Promise<Result>

export function createTurns(): TakeTurn {
  let last: Promise<unknown> = Promise.resolve()
  return async (work) => {
    const before = last
    const { promise, resolve } = Promise.withResolvers<void>()
    last = promise
    await before
    try {
      return await work()
    } finally {
      resolve()
    }
  }
}
