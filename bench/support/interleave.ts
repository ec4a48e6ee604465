import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { median } from './statistics.ts'

/** Something to measure. */
export interface Contestant {
  readonly name: string
  /** One operation. If it returns a promise, the next operation starts after it. */
  readonly run: () => unknown
}

export interface Pace {
  readonly rounds: number
  /** How long a contestant runs in each round, in milliseconds, for at least one operation. */
  readonly batchMs: number
  /** How long each contestant warms up, so that its code is compiled, in milliseconds. */
  readonly warmUpMs: number
}

/** Nanoseconds per operation of one contestant, in each round. */
export interface Timing {
  readonly name: string
  readonly perRound: readonly number[]
  readonly nanoseconds: number
}

setFlagsFromString('--expose-gc')
/** Collects garbage now, all of it by default. */
export const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' }) => void

/** Measures all contestants in one run. In every round each runs a batch, in a different order. */
export async function interleave(contestants: readonly Contestant[], pace: Pace): Promise<Timing[]> {
  const batches = []
  for (const contestant of contestants) batches.push(await prepare(contestant, pace))
  await takeTurns('timing', pace.rounds, batches, async ({ contestant, operations, perRound }) => {
    // No contestant may pay for the garbage of the previous one.
    collectGarbage({ type: 'minor' })
    perRound.push(await time(contestant, operations))
  })
  return batches.map(({ contestant, perRound }) => ({
    name: contestant.name,
    perRound,
    nanoseconds: median(perRound),
  }))
}

/** Measures all items in each round, in a different order. */
export async function takeTurns<Item>(
  what: string,
  rounds: number,
  items: readonly Item[],
  measure: (item: Item, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`${what}, round ${round + 1} of ${rounds}    \r`)
    for (const item of inOrderOf(round, items)) await measure(item, round)
  }
  process.stderr.write('\n')
}

/**
 * Starts each round with another one, and goes backwards in every other, so that what precedes a contestant
 * changes, too.
 */
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
