// Runs the benchmarks, and writes results/performance.md and its plots. With --fast, in about a third of the time.

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BacklogGrowthRow } from './inbox/backlog-growth.ts'
import type { ProcessesRow } from './inbox/processes.ts'
import type { WindowRow } from './inbox/window.ts'
import { flags } from './support/flags.ts'
import type { Line } from './support/line-plot.ts'
import { plot, type Report, results, rowsOf, sections } from './support/results.ts'
import type { BodyRow } from './verify/verify.ts'

// The first one needs a build, and says so.
const [start, verify, http, inbox, subjects, processes, inboxHttp] = [
  'verify/start',
  'verify/verify',
  'http/http',
  'inbox/inbox',
  'inbox/subjects',
  'inbox/processes',
  'http/inbox',
].map(run) as [Report, Report, Report, Report, Report, Report, Report]

mkdirSync(results, { recursive: true })
const plots = [
  plot('cost-by-body-size', {
    title: 'What a byte costs as the body grows',
    horizontal: 'bytes of the body',
    vertical: 'nanoseconds per byte to verify, parse and validate',
    lines: linesOf<BodyRow>(verify, 'As the body grows', ({ name, bytes, payhook }) => {
      const [filling = '', kilobytes = ''] = name.split(', ')
      return [filling, Number.parseInt(kilobytes, 10) * 1000, payhook / bytes]
    }),
  }),
  plot('puts-by-window', {
    title: 'Storing as the window for duplicates fills',
    horizontal: 'deliveries in the window',
    vertical: 'stored per second, SQLite',
    lines: windowLines(),
  }),
  plot('handled-by-backlog', {
    title: 'Handling as the backlog grows',
    horizontal: 'notifications in the backlog',
    vertical: 'handled per second by one process, 50 at once',
    lines: linesOf<BacklogGrowthRow>(inbox, 'As the backlog grows', ({ name, size, perSecond }) => [
      name.replace('payhook ', ''),
      size,
      perSecond.median,
    ]),
  }),
  plot('puts-by-processes', {
    title: 'Storing as more processes share one file',
    horizontal: 'processes',
    vertical: 'stored per second by all of them, SQLite',
    lines: linesOf<ProcessesRow>(processes, 'Stored per second in one file', (row) => [
      'all processes',
      row.processes,
      row.perSecond,
    ]),
  }),
]

const { date, commit, node, machine } = verify
writeFileSync(
  `${results}performance.md`,
  `# Performance

Measured on ${date} at commit ${commit}, Node ${node}, ${machine}. \`npm run bench:page\` measures again and
writes this page. \`bench/README.md\` in the repository says what each row does and how to read it: compare
ratios, and only within one table.

## How cost grows

${plots.join('\n\n')}

## Verify and parse

Lower is better. The floor is what a careful user writes by hand; it validates nothing and loses the digits of
long numbers.

${sections(verify)}

## Over HTTP

Higher throughput is better. 1.00 is a hand-written \`node:http\` receiver without limits or time-outs.

${sections(http)}

## Inbox

Higher is better, except for times. The floor appends to a log file and syncs it.

${sections(inbox)}

${sections(processes)}

${sections(inboxHttp)}

## One at a time

Higher is better. The handlers do nothing, so this is the most that \`oneAtATime\` can cost.

${sections(subjects)}

## Cold start and size

${sections(start)}
`,
)

function run(script: string): Report {
  process.stderr.write(`\n${script}\n`)
  const file = fileURLToPath(new URL(`${script}.ts`, import.meta.url))
  const args = [file, '--json', ...(flags.quick ? ['--quick'] : []), ...(flags.fast ? ['--fast'] : [])]
  return JSON.parse(
    execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
  ) as Report
}

/** Groups the rows of a table into lines by name. */
function linesOf<Row>(
  report: Report,
  title: string,
  toPoint: (row: Row) => readonly [name: string, x: number, y: number],
): Line[] {
  const points = rowsOf<Row>(report, title).map(toPoint)
  const names = [...new Set(points.map(([name]) => name))]
  return names.map((name) => ({
    name,
    points: points.filter(([of]) => of === name).map(([, x, y]) => [x, y] as const),
  }))
}

function windowLines(): Line[] {
  const rows = rowsOf<WindowRow>(inbox, 'As the window for duplicates fills').filter(({ size }) => size > 0)
  return ([1, 50] as const).map((producers) => ({
    name: producers === 1 ? 'one producer' : `${producers} producers`,
    points: rows.map(({ size, perSecond }) => [size, perSecond[producers].median] as const),
  }))
}
