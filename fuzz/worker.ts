// A thread that fuzzes one target.

import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { collectHits, createCoverage } from './coverage.ts'
import { errorOf, type Finding, fuzz, type Progress } from './fuzzer.ts'
import { instrumentImports } from './instrument.ts'
import { MAX_INPUT_BYTES } from './mutate.ts'
import { corpusOf, loadTarget, readCorpus } from './targets.ts'

export interface WorkerOptions {
  readonly target: string
  readonly seconds: number
  readonly seed: number
  /** Write the inputs that cover more than the kept ones to the corpus. */
  readonly keep: boolean
  /** The number of the run, the length of its input, and the input. */
  readonly shared: SharedArrayBuffer
}

export type WorkerMessage =
  | { readonly type: 'progress'; readonly progress: Progress }
  | {
      readonly type: 'end'
      readonly progress: Progress
      readonly finding: Finding | undefined
      readonly kept: number
    }

const { target: name, seconds, seed, keep, shared } = workerData as WorkerOptions
const post = (message: WorkerMessage) => parentPort?.postMessage(message)

const instrumentation = instrumentImports()
const target = await loadTarget(name)
const kept = [...readCorpus(name).values()]
const [counters, bytes] = [new Int32Array(shared, 0, 2), new Uint8Array(shared, 8, MAX_INPUT_BYTES)]

function starting(input: Buffer): void {
  bytes.set(input)
  counters[1] = input.length
  Atomics.add(counters, 0, 1)
}

const { corpus, finding, progress } = await fuzz(target, instrumentation, {
  seed,
  seconds,
  kept,
  starting,
  progress: (progress) => post({ type: 'progress', progress }),
})
const added = keep && finding === undefined ? await keepInputs() : 0
// The main thread then ends this one, with what a target has left open.
post({ type: 'end', progress, finding, kept: added })

/** Keeps a few inputs that together run all blocks that the whole corpus runs. */
async function keepInputs(): Promise<number> {
  const covered = new Set<number>()
  for (const input of [...(target.seeds?.() ?? []), ...kept])
    for (const block of await run(input)) covered.add(block)
  const left = new Map<Buffer, readonly number[]>()
  for (const input of corpus.toSorted((a, b) => a.length - b.length)) left.set(input, await run(input))
  mkdirSync(corpusOf(name), { recursive: true })
  for (let count = 0; ; count++) {
    let best: { input: Buffer; added: readonly number[] } | undefined
    for (const [input, blocks] of left) {
      const added = blocks.filter((block) => !covered.has(block))
      if (added.length === 0) left.delete(input)
      else if (added.length > (best?.added.length ?? 0)) best = { input, added }
    }
    if (best === undefined) return count
    for (const block of best.added) covered.add(block)
    const digest = createHash('sha256').update(best.input).digest('hex')
    writeFileSync(join(corpusOf(name), digest.slice(0, 12)), best.input)
  }
}

/** Runs an input, and returns the blocks that ran. */
async function run(input: Buffer): Promise<number[]> {
  starting(input)
  await errorOf(target, input)
  const coverage = createCoverage()
  collectHits(coverage, instrumentation.blocks)
  return Array.from(coverage.keys()).filter((block) => coverage[block] !== 0)
}
