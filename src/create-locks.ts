/** Runs one piece of work at a time for each name, in the order of the calls. */
export type Locks = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

export function createLocks(): Locks {
  const last = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const running = (last.get(name) ?? Promise.resolve()).then(work)
    const ended = running
      .catch(() => {})
      .finally(() => {
        if (last.get(name) === ended) last.delete(name)
      })
    last.set(name, ended)
    return running
  }
}
