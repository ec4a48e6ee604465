import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { median } from './statistics.ts'

/** Something to be timed. */
export interface Contestant {
  readonly name: string
  /** One operation. When it gives a promise, it is awaited before the next one starts. */
  readonly run: () => unknown
}

export interface Pace {
  readonly rounds: number
  /** How long a contestant works in each round, in milliseconds. At least one operation is done. */
  readonly batchMs: number
  /** How long each contestant works beforehand, so that its code is compiled, in milliseconds. */
  readonly warmUpMs: number
}

/** Nanoseconds per operation of one contestant, round by round. */
export interface Timing {
  readonly name: string
  readonly perRound: readonly number[]
  readonly nanoseconds: number
}

setFlagsFromString('--expose-gc')
/** Collects garbage now, all of it unless told otherwise. */
export const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' }) => void

/** Times all contestants in one run: in every round each of them does a batch, in another order each time. */
export async function interleave(contestants: readonly Contestant[], pace: Pace): Promise<Timing[]> {
  const batches = []
  for (const contestant of contestants) batches.push(await prepare(contestant, pace))
  for (let round = 0; round < pace.rounds; round++) {
    process.stderr.write(`round ${round + 1} of ${pace.rounds}\r`)
    for (const batch of inOrderOf(round, batches)) {
      // Nobody is to sweep up after the one before.
      collectGarbage({ type: 'minor' })
      batch.perRound.push(await time(batch.contestant, batch.operations))
    }
  }
  process.stderr.write('\n')
  return batches.map(({ contestant, perRound }) => ({
    name: contestant.name,
    perRound,
    nanoseconds: median(perRound),
  }))
}

/** Starts each round with another one, and goes backwards in every other, so that neighbours change too. */
export function inOrderOf<Item>(round: number, items: readonly Item[]): Item[] {
  const start = round % items.length
  const rotated = [...items.slice(start), ...items.slice(0, start)]
  return round % 2 === 0 ? rotated : rotated.toReversed()
}

async function prepare(contestant: Contestant, { batchMs, warmUpMs }: Pace) {
  process.stderr.write(`warming up ${contestant.name}\n`)
  const started = performance.now()
  let nanoseconds = await time(contestant, 1)
  for (let elapsed = 0; elapsed < warmUpMs; elapsed = performance.now() - started) {
    nanoseconds = await time(contestant, operationsFor(warmUpMs / 10, nanoseconds))
  }
  return { contestant, operations: operationsFor(batchMs, nanoseconds), perRound: [] as number[] }
}

function operationsFor(milliseconds: number, nanoseconds: number): number {
  return Math.max(1, Math.round((milliseconds * 1e6) / nanoseconds))
}

async function time({ run }: Contestant, operations: number): Promise<number> {
  const started = process.hrtime.bigint()
  let last = run()
  if (last instanceof Promise) {
    await last
    for (let done = 1; done < operations; done++) await run()
  } else {
    for (let done = 1; done < operations; done++) last = run()
  }
  return Number(process.hrtime.bigint() - started) / operations
}
