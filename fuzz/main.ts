// Fuzzes payhook: npm run fuzz -- [--seconds N] [--target NAME]… [--seed N] [--keep] [--json]
// Runs one input: npm run fuzz -- --reproduce FILE

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { createCoverage } from './coverage.ts'
import { type Finding, type Progress, runInput } from './fuzzer.ts'
import { instrumentImports } from './instrument.ts'
import { MAX_INPUT_BYTES } from './mutate.ts'
import { findingsOf, loadTarget, targetNames } from './targets.ts'
import type { WorkerMessage, WorkerOptions } from './worker.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    target: { type: 'string', multiple: true, default: [...targetNames] },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    reproduce: { type: 'string' },
  },
})

/** An input that runs longer does not end. */
const HANG_MS = 20_000

interface Result extends Progress {
  readonly target: string
  /** Inputs that were added to the corpus. */
  readonly kept: number
  readonly finding?: { readonly message: string; readonly file: string }
}

const say = (line: string) => void (flags.json ? process.stderr : process.stdout).write(`${line}\n`)

if (flags.reproduce === undefined) await fuzzAll()
else await reproduce(flags.reproduce)
// A target may have left something open.
process.exit()

async function reproduce(file: string): Promise<void> {
  const name = basename(dirname(resolve(file)))
  assertTarget(name)
  const instrumentation = instrumentImports()
  const target = await loadTarget(name)
  const { error } = await runInput(target, readFileSync(file), createCoverage(), instrumentation)
  if (error !== undefined) process.exitCode = 1
  say(error === undefined ? `${name}: nothing is wrong with this input` : `${error.stack}`)
}

async function fuzzAll(): Promise<void> {
  const [seconds, seed] = [toPositive('seconds', flags.seconds), toPositive('seed', flags.seed)]
  flags.target.forEach(assertTarget)
  const threads = Math.min(availableParallelism(), flags.target.length)
  const each = seconds / Math.ceil(flags.target.length / threads)
  say(`${flags.target.length} targets, ${each.toFixed(1)} s each, ${threads} at a time, --seed ${seed}`)
  const waiting = [...flags.target]
  const results: Result[] = []
  const takeTurns = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      results.push(await fuzzTarget(name, each, seed))
    }
  }
  await Promise.all(Array.from({ length: threads }, takeTurns))
  const found = results.filter(({ finding }) => finding !== undefined)
  if (flags.json) process.stdout.write(`${JSON.stringify({ seed, results }, undefined, 2)}\n`)
  say(`${results.length - found.length} targets passed, ${found.length} failed`)
  if (found.length > 0) process.exitCode = 1
}

function fuzzTarget(name: string, seconds: number, seed: number): Promise<Result> {
  const shared = new SharedArrayBuffer(8 + MAX_INPUT_BYTES)
  const counters = new Int32Array(shared, 0, 2)
  const workerData: WorkerOptions = { target: name, seconds, seed, keep: flags.keep, shared }
  const execArgv = ['--disable-warning=PayhookWarning', '--disable-warning=ExperimentalWarning']
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData,
    execArgv,
    // As much as the main thread has.
    resourceLimits: { stackSizeMb: 1 },
  })
  let progress: Progress = { runs: 0, features: 0, corpus: 0, seconds: 0 }

  return new Promise((resolve) => {
    function end(finding: Finding | undefined, kept = 0): void {
      clearInterval(watch)
      const saved = finding && { message: finding.message, file: save(name, finding.input) }
      const result = { target: name, ...progress, kept, ...(saved && { finding: saved }) }
      say(toLine(result, saved === undefined ? 'passed' : 'FAILED'))
      if (saved) say(`${saved.message}\n  npm run fuzz -- --reproduce ${saved.file}`)
      void worker.terminate().then(() => resolve(result))
    }
    const current = () => Buffer.from(new Uint8Array(shared, 8, counters[1]))
    let [last, since] = [-1, performance.now()]
    const watch = setInterval(() => {
      const run = Atomics.load(counters, 0)
      if (run !== last || run === 0) [last, since] = [run, performance.now()]
      else if (performance.now() - since > HANG_MS)
        end({ message: `does not end within ${HANG_MS / 1_000} s`, input: current() })
    }, 500)
    worker.on('message', (message: WorkerMessage) => {
      progress = message.progress
      if (message.type === 'end') end(message.finding, message.kept)
      else say(toLine({ target: name, ...progress }))
    })
    // An exception outside of the call, such as a rejection that nothing handles, or memory that is exhausted.
    worker.on('error', (error) =>
      end({ message: String((error as Error)?.stack ?? error), input: current() }),
    )
  })
}

function save(name: string, input: Uint8Array): string {
  mkdirSync(findingsOf(name), { recursive: true })
  const file = join(findingsOf(name), createHash('sha256').update(input).digest('hex').slice(0, 12))
  writeFileSync(file, input)
  return relative(process.cwd(), file)
}

function toLine(
  result: Progress & { readonly target: string; readonly kept?: number },
  verdict = '',
): string {
  const { target, seconds, runs, features, corpus, kept = 0 } = result
  const perSecond = seconds > 0 ? Math.round(runs / seconds) : 0
  const numbers = [`${seconds.toFixed(0)} s`, `${runs} runs`, `${perSecond}/s`, `${features} features`]
  const added = kept > 0 ? [`${kept} kept`] : []
  return [
    target.padEnd(10),
    ...[...numbers, `${corpus} inputs`, ...added].map((text) => text.padStart(13)),
    verdict,
  ]
    .join(' ')
    .trimEnd()
}

function assertTarget(name: string): void {
  if (targetNames.includes(name)) return
  throw new TypeError(`"${name}" is not a target; the targets are ${targetNames.join(', ')}`)
}

function toPositive(flag: string, value: string): number {
  if (Number(value) > 0) return Number(value)
  throw new TypeError(`--${flag} must be a positive number`)
}
