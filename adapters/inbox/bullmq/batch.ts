/**
 * Gathers the calls of a turn of the event loop, as a command costs more than what most of them do.
 *
 * @param run gets the arguments of all calls
 * @returns a function that adds a call. It returns the result of them all, and the index of this call.
 */
export function createBatch<Results>(run: (args: string[]) => Promise<Results>) {
  let args: string[] = []
  let calls = 0
  let results: Promise<Results> | undefined

  function flush(): Promise<Results> {
    const all = args
    args = []
    calls = 0
    results = undefined
    return run(all)
  }

  return (...added: string[]): [results: Promise<Results>, index: number] => {
    args.push(...added)
    if (results === undefined) {
      results = new Promise((resolve) => process.nextTick(() => resolve(flush())))
      // A caller may not need the results.
      results.catch(() => {})
    }
    return [results, calls++]
  }
}
