import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { roundsOf } from '../support/flags.ts'
import { takeTurns } from '../support/interleave.ts'
import { emphasize, printReport, toRange } from '../support/report.ts'
import { median, type Summary, summarize } from '../support/statistics.ts'
import { type Bundle, bundle } from './bundle.ts'
import { rejectsTampered, runProgram } from './run-program.ts'
import { type StartProgram, startPrograms } from './start-programs.ts'

const ROUNDS = roundsOf(61, 5)

/** A file to start, and its times in each round, in milliseconds. */
interface Start {
  readonly file: string
  readonly took: number[]
}

interface Row {
  readonly name: string
  /** Milliseconds beyond an empty process. */
  readonly installed: Summary
  /** Milliseconds beyond an empty process. */
  readonly bundled: Summary
  readonly installedToStripe: number
  readonly bundledToStripe: number
  readonly minifiedBytes: number
  readonly gzippedBytes: number
  readonly targets: StartProgram['targets']
}

if (!existsSync(new URL('../../dist/index.js', import.meta.url))) {
  console.error('dist/index.js is missing: run npm run build')
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'payhook-bench-'))
try {
  const bundles: Bundle[] = []
  for (const { entry } of startPrograms) bundles.push(await bundle(toPath(entry), toBundlePath(entry)))
  const empty: Start = { file: toPath('empty.js'), took: [] }
  const installed = startPrograms.map(({ entry }): Start => ({ file: toPath(entry), took: [] }))
  const bundled = bundles.map(({ file }): Start => ({ file, took: [] }))
  check(installed)
  check(bundled)
  await takeTurns('starts', ROUNDS, [empty, ...installed, ...bundled], async ({ file, took }) => {
    took.push(runProgram(file))
  })
  report(empty, installed, bundled, bundles)
} finally {
  rmSync(folder, { recursive: true })
}

/** @throws unless the programs parse the notification, and those that verify reject a tampered one */
function check(starts: readonly Start[]): void {
  for (const [at, { file }] of starts.entries()) {
    runProgram(file)
    if (startPrograms[at]?.verifies && !rejectsTampered(file)) {
      throw new Error(`${file} accepts a tampered notification`)
    }
  }
}

function report(
  empty: Start,
  installed: readonly Start[],
  bundled: readonly Start[],
  bundles: readonly Bundle[],
): void {
  const overEmpty = ({ took }: Start) =>
    summarize(took.map((milliseconds, round) => milliseconds - (empty.took[round] as number)))
  const stripe = { installed: overEmpty(installed[0] as Start), bundled: overEmpty(bundled[0] as Start) }
  const toRow = ({ name, targets }: StartProgram, at: number): Row => {
    const own = { installed: overEmpty(installed[at] as Start), bundled: overEmpty(bundled[at] as Start) }
    const { minified, gzipped } = bundles[at] as Bundle
    return {
      name,
      ...own,
      installedToStripe: own.installed.median / stripe.installed.median,
      bundledToStripe: own.bundled.median / stripe.bundled.median,
      minifiedBytes: minified,
      gzippedBytes: gzipped,
      targets,
    }
  }
  printReport([
    {
      title: `Cold start, over an empty process of ${median(empty.took).toFixed(1)} ms`,
      columns: {
        'to verify and read one event': ({ name }: Row) => emphasize(name),
        'import, ms': ({ installed }) => toText(installed),
        'to stripe': ({ installedToStripe }) => installedToStripe.toFixed(2),
        'bundled, ms': ({ bundled }) => toText(bundled),
        'to stripe bundled': ({ bundledToStripe }) => bundledToStripe.toFixed(2),
        'minified, KB': ({ minifiedBytes }) => (minifiedBytes / 1000).toFixed(1),
        'gzip, KB': ({ gzippedBytes }) => (gzippedBytes / 1000).toFixed(1),
        targets: ({ targets }) =>
          targets === undefined
            ? ''
            : `≤ ${targets.installed}, bundled ≤ ${targets.bundled}, ≤ ${targets.kilobytes} KB`,
      },
      rows: startPrograms.map(toRow),
    },
  ])
}

function toText(summary: Summary): string {
  return `${summary.median.toFixed(1)} (${toRange(summary, 1)})`
}

function toPath(entry: string): string {
  return fileURLToPath(new URL(`start-entries/${entry}`, import.meta.url))
}

function toBundlePath(entry: string): string {
  return join(folder, `${basename(entry, '.js')}.mjs`)
}
