/** Creates a function that runs one piece of work at a time for each name, in the order of the calls. */
export function createLocks() {
  const last = new Map<string, Promise<unknown>>()
  return <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
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
