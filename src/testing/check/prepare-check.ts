import { CHECK_CASES } from './check-cases.ts'
import { type CheckOptions, checkCheckOptions } from './check-options.ts'
import type { CheckReport, CheckResult } from './check-report.ts'
import { CheckRun } from './check-run.ts'
import { conclude } from './conclude.ts'
import { resolveTarget } from './resolve-target.ts'

/** @throws TypeError if an option is invalid, or the receiver is on another machine without `allowRemote` */
export async function prepareCheck(options: CheckOptions) {
  const checked = checkCheckOptions(options)
  const { url, only, allowRemote, onResult } = checked
  const target = await resolveTarget(url, allowRemote)
  const cases = CHECK_CASES.filter(({ id }) => id === 'plain' || only.includes(id))
  const total = cases.length
  return {
    total,
    async run(): Promise<CheckReport> {
      const startedAt = performance.now()
      const run = new CheckRun(checked, target)
      const results: CheckResult[] = []
      const toStopped = () => run.stopped !== undefined && { stopped: run.stopped }
      for (const each of cases) {
        const result = await run.run(each)
        results.push(result)
        await onResult?.(result, { done: results.length, total, ...toStopped() })
      }
      const { origin, pathname } = new URL(url)
      const isWrong = ({ level, outcome }: CheckResult) => level === 'must' && outcome === 'failed'
      return {
        url: origin + pathname,
        passed: run.stopped === undefined && !results.some(isWrong),
        durationMs: Math.round(performance.now() - startedAt),
        results,
        ...toStopped(),
        conclusions: [conclude(run.sent, results[0]?.cause) ?? []].flat(),
      }
    },
  }
}
