// Changes the code in many small ways, and finds out which of these mutants no test detects. Each of them has
// to be in scripts/mutants/explained.json, with the reason.
//
//   npm run mutate                                  all folders; takes about an hour
//   npm run mutate -- json src/events/amount.ts     a folder, and a file

import { spawnSync } from 'node:child_process'
import { MUTATED_FOLDERS } from '../../vitest.mutation.config.ts'
import { readReport, type Verdict } from './report.ts'

const LEAST_PERCENT = 90

const targets = process.argv.slice(2)
const verdicts = (targets.length > 0 ? targets : MUTATED_FOLDERS).map((target) => {
  const folder = MUTATED_FOLDERS.find((name) => name === target || target.startsWith(`src/${name}/`))
  if (folder === undefined) {
    console.error(`"${target}" is none of ${MUTATED_FOLDERS.join(', ')}, nor a file of one.`)
    process.exit(2)
  }
  const { status } = spawnSync(
    'stryker',
    ['run', '--mutate', target === folder ? `src/${folder}/**/*.ts` : target],
    { stdio: 'inherit', env: { ...process.env, MUTATED_FOLDER: folder } },
  )
  if (status !== 0) process.exit(1)
  return { target, ...readReport('reports/mutation/mutation.json') }
})

/** The line of a target in the table, or of all of them. */
function row(target: string, parts: readonly Verdict[]) {
  const count = (key: keyof Verdict) => parts.reduce((sum, part) => sum + part[key].length, 0)
  const [detected, explained, unexplained] = [count('detected'), count('explained'), count('unexplained')]
  const mutants = detected + explained + unexplained
  return {
    target,
    mutants,
    detected,
    explained,
    unexplained,
    percent: Math.round((1000 * detected) / mutants) / 10,
  }
}

const all = row('all', verdicts)
console.table([...verdicts.map((verdict) => row(verdict.target, [verdict])), all])
const unexplained = verdicts.flatMap((verdict) => verdict.unexplained)
if (unexplained.length > 0)
  console.error(`\nNo test detects, and nothing explains:\n${unexplained.join('\n')}`)
if (unexplained.length > 0 || all.percent < LEAST_PERCENT) process.exitCode = 1
