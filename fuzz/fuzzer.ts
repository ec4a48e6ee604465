import { fileURLToPath } from 'node:url'
import { type Coverage, collectHits, createCoverage } from './coverage.ts'
import type { Instrumentation } from './instrument.ts'
import { createMutator, MAX_USUAL_BYTES } from './mutate.ts'
import { createRandom } from './random.ts'
import type { Target } from './targets.ts'

/** A run that takes longer, three times, is a finding. */
const SLOW_MS = 1_000
/** More blocks of payhook's code than this are a finding: none of it may take quadratic time. */
const maxSteps = (bytes: number) => 50_000 + 300 * bytes
const MINIMIZING_MS = 5_000
const PROGRESS_SECONDS = 10

export interface Progress {
  readonly runs: number
  /** Pairs of a block and a range of counts. */
  readonly features: number
  /** Inputs that covered something new. */
  readonly corpus: number
  readonly seconds: number
}

export interface Finding {
  readonly message: string
  readonly input: Buffer
}

export interface FuzzerOptions {
  readonly seed: number
  readonly seconds: number
  readonly kept: readonly Buffer[]
  /** Called before each run, so that another thread can tell which input does not end. */
  readonly starting: (input: Buffer) => void
  readonly progress: (progress: Progress) => void
}

export interface Outcome {
  readonly progress: Progress
  readonly corpus: readonly Buffer[]
  readonly finding: Finding | undefined
}

/** Fuzzes a target until the time is over or something is found. */
export async function fuzz(
  target: Target,
  instrumentation: Instrumentation,
  options: FuzzerOptions,
): Promise<Outcome> {
  const random = createRandom(options.seed)
  const mutate = createMutator(random, instrumentation.words)
  const coverage = createCoverage()
  const corpus: Buffer[] = [Buffer.alloc(0)]
  const startedAt = performance.now()
  let [runs, features] = [0, 0]

  /** Runs an input, and returns what is wrong. */
  async function run(input: Buffer): Promise<Error | undefined> {
    runs++
    options.starting(input)
    const { error, added } = await runInput(target, input, coverage, instrumentation)
    if (added > 0 && input.length <= MAX_USUAL_BYTES) corpus.push(input)
    features += added
    return error
  }

  const toProgress = () => {
    const seconds = (performance.now() - startedAt) / 1_000
    return { runs, features, corpus: corpus.length, seconds }
  }

  function* inputs(): Generator<Buffer, never> {
    yield* [...corpus, ...(target.seeds?.() ?? []), ...options.kept]
    for (;;) {
      // What was found last leads on most often.
      const recent = random.below(2) === 0 ? Math.min(16, corpus.length) : corpus.length
      const parent = corpus[corpus.length - 1 - random.below(recent)] as Buffer
      yield mutate(parent, random.pick(corpus))
    }
  }

  let reportedAt = 0
  for (const input of inputs()) {
    const error = await run(input)
    const progress = toProgress()
    if (error !== undefined) {
      const finding = { input: await minimize(input, error, run), message: describe(error) }
      return { corpus, progress, finding }
    }
    if (progress.seconds > options.seconds) return { corpus, progress, finding: undefined }
    if (progress.seconds - reportedAt < PROGRESS_SECONDS) continue
    reportedAt = progress.seconds
    options.progress(progress)
  }
  throw new Error('there is always another input')
}

/** Runs an input, and tells what it covers and what is wrong. */
export async function runInput(
  target: Target,
  input: Buffer,
  coverage: Coverage,
  { blocks }: Instrumentation,
): Promise<{ added: number; error: Error | undefined }> {
  const before = performance.now()
  const error = await errorOf(target, input)
  const tookMs = performance.now() - before
  const { added, steps } = collectHits(coverage, blocks)
  if (error !== undefined) return { added, error }
  if (steps > maxSteps(input.length))
    return { added, error: new TooSlow(`${steps} steps for ${input.length} bytes`) }
  const isSlow = tookMs > SLOW_MS && (await staysSlow(target, input))
  return { added, error: isSlow ? new TooSlow(`${tookMs.toFixed(0)} ms`) : undefined }
}

class TooSlow extends Error {
  override readonly name = 'TooSlow'
}

export async function errorOf(target: Target, input: Buffer): Promise<Error | undefined> {
  try {
    // The target may keep a view of its input.
    await target.run(Buffer.from(input))
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(`${error} was thrown`)
  }
}

/** Another process may have had the processor meanwhile. */
async function staysSlow(target: Target, input: Buffer): Promise<boolean> {
  for (let left = 2; left > 0; left--) {
    const before = performance.now()
    await errorOf(target, input)
    if (performance.now() - before < SLOW_MS) return false
  }
  return true
}

/** Two errors from the same place are the same finding. */
function placeOf(error: Error): string {
  if (error instanceof TooSlow) return error.name
  return `${error.name} ${frameIn(error, 'fuzz', 'src', 'adapters')}`
}

/** The innermost frame in a folder of payhook. */
function frameIn(error: Error, ...folders: string[]): string | undefined {
  const urls = folders.map((folder) => new URL(`../${folder}/`, import.meta.url))
  const places = urls.flatMap((url) => [url.href, fileURLToPath(url)])
  return (error.stack ?? '').split('\n').find((line) => places.some((place) => line.includes(place)))
}

/** Removes what an input does not need in order to fail in the same place. */
async function minimize(input: Buffer, error: Error, run: (input: Buffer) => Promise<Error | undefined>) {
  const place = placeOf(error)
  const end = performance.now() + MINIMIZING_MS
  let smallest = input
  for (let size = smallest.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < smallest.length && performance.now() < end; ) {
      const shorter = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)])
      const failure = await run(shorter)
      if (failure !== undefined && placeOf(failure) === place) smallest = shorter
      else at += size
    }
  }
  return smallest
}

function describe(error: Error): string {
  const frame = frameIn(error, 'src', 'adapters')
  const lines = error.message.split('\n').slice(0, 12).join('\n')
  return `${error.name}: ${lines}${frame === undefined ? '' : `\n${frame}`}`
}
