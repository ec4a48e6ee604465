import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestModule } from 'vitest/node'

const FOLDER = new URL('../node_modules/.cache/', import.meta.url)

/** Writes what each file of the last run cost, the dearest first. */
export const timesReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const files = modules
      .map((module) => ({
        file: module.relativeModuleId,
        processorMs: Math.round(module.meta().processorMs ?? 0),
        wallMs: Math.round(module.diagnostic().duration),
      }))
      .toSorted((left, right) => right.processorMs - left.processorMs)
    mkdirSync(FOLDER, { recursive: true })
    const target = fileURLToPath(new URL('test-times.json', FOLDER))
    writeFileSync(target, `[\n${files.map((file) => JSON.stringify(file)).join(',\n')}\n]\n`)
    const seconds = files.reduce((sum, { processorMs }) => sum + processorMs, 0) / 1_000
    console.log(` Processor time ${seconds.toFixed(1)} s; by file in ${target}`)
  },
}
