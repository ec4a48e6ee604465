import type { Writable } from 'node:stream'

/** Gathers the calls of a turn of the event loop, as a command costs more than what most of them do. */
export function createBatch<Call, Result>(
  run: (calls: readonly Call[]) => Promise<readonly (Result | Promise<Result>)[]>,
) {
  let calls: Call[] = []
  let results: ReturnType<typeof run> | undefined

  async function runAtEndOfTurn() {
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const all = calls
    calls = []
    results = undefined
    return await run(all)
  }

  return async (call: Call): Promise<Result> => {
    const index = calls.push(call) - 1
    results ??= runAtEndOfTurn()
    return await ((await results)[index] as Result | Promise<Result>)
  }
}

/**
 * Sends the commands of this turn of the event loop in one packet, which takes less processor time here and in
 * Redis. Does nothing for a cluster, or for a client other than ioredis.
 */
export function gather(client: object): void {
  const { stream } = client as { readonly stream?: Writable }
  if (stream?.writableCorked !== 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}
