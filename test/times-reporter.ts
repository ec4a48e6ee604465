import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestModule } from 'vitest/node'

const TARGET = fileURLToPath(new URL('../node_modules/.cache/test-times.json', import.meta.url))
/** What test files cost, if it is more than usual. */
export const PROCESSOR_SECONDS: Record<string, number> = JSON.parse(
  readFileSync(new URL('processor-seconds.json', import.meta.url), 'utf8'),
)
/** The budget of a file that is not listed. */
const USUAL_SECONDS = 1.5
/** Fewer say nothing about how fast the machine is. */
const LEAST_LISTED = 20

interface FileTimes {
  readonly file: string
  /** Of `measure-file.ts`. */
  readonly processorMs: number
  readonly wallMs: number
}

/** Writes what each file of the last run cost, the dearest first, and says which ones cost twice their budget. */
export const timesReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const files = modules
      .map(
        (module): FileTimes => ({
          file: module.relativeModuleId,
          processorMs: Math.round(module.meta().processorMs ?? 0),
          wallMs: Math.round(module.diagnostic().duration),
        }),
      )
      .toSorted((left, right) => right.processorMs - left.processorMs)
    mkdirSync(dirname(TARGET), { recursive: true })
    writeFileSync(TARGET, `[\n${files.map((file) => JSON.stringify(file)).join(',\n')}\n]\n`)
    const seconds = files.reduce((sum, { processorMs }) => sum + processorMs, 0) / 1_000
    console.log(` Processor time ${seconds.toFixed(1)} s; by file in ${TARGET}`)
    const dear = findDear(files)
    for (const line of dear) console.log(` ${line}`)
    // Elsewhere a busy machine may be the reason.
    if (dear.length > 0 && process.env.CI) process.exitCode = 1
  },
}

/** Files that cost more than twice their budget, by the speed that the machine has for most of the others. */
export function findDear(files: readonly FileTimes[], budget = PROCESSOR_SECONDS): string[] {
  const listed = files.filter(({ file, processorMs }) => budget[file] !== undefined && processorMs > 0)
  if (listed.length < LEAST_LISTED) return []
  const ratios = listed.map(({ file, processorMs }) => processorMs / 1_000 / Number(budget[file]))
  const slowness = ratios.toSorted((left, right) => left - right)[ratios.length >> 1] ?? 1
  return files.flatMap(({ file, processorMs }) => {
    const seconds = processorMs / 1_000 / slowness
    const allowed = budget[file] ?? USUAL_SECONDS
    // What is short varies.
    if (/\.long\./.test(file) || seconds <= 2 * allowed + 1) return []
    return [`${file} costs ${seconds.toFixed(1)} s instead of ${allowed} s (test/processor-seconds.json).`]
  })
}
