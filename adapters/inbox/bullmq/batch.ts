/**
 * Gathers the calls of a turn of the event loop, as a command costs more than what most of them do.
 *
 * @param run gets the arguments of all calls
 * @returns a function that adds a call. Once they are sent, it resolves to their results, and the index of this
 *   call.
 */
export function createBatch<Results>(run: (args: string[]) => Promise<Results>) {
  let args: string[] = []
  let calls = 0
  let sent: Promise<{ readonly results: Promise<Results> }> | undefined

  function flush() {
    const results = run(args)
    // A caller may not need the results.
    results.catch(() => {})
    args = []
    calls = 0
    sent = undefined
    return { results }
  }

  return async (...added: string[]) => {
    args.push(...added)
    const index = calls++
    sent ??= new Promise((resolve) => process.nextTick(() => resolve(flush())))
    return { ...(await sent), index }
  }
}
