import { open } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { EVENT_KINDS, type EventKind } from '../../../events/kinds.ts'
import { CHECK_CASES } from '../../../testing/check/check-cases.ts'
import type { CheckLevel, CheckReport, CheckResult } from '../../../testing/check/check-report.ts'
import { REJECTS } from '../../../testing/check/find-mistake.ts'
import { checkReceiver } from '../../../testing/check-receiver.ts'
import { addCommand } from '../../command.ts'
import { environment, required } from '../../environment.ts'
import { Failure } from '../../errors.ts'
import { untilInterrupted } from '../../interruption.ts'
import { toJunitXml } from '../../junit-xml.ts'
import { choiceOption, timeOption, toUrl } from '../../option-values.ts'
import { isJsonOutput, type Painted, paint, print, toOneLine } from '../../output.ts'
import { showProgress } from '../../show-progress.ts'
import { toTable } from '../../table.ts'
import { suggest } from '../../warn-unknown.ts'

interface CheckCommandOptions {
  readonly kind?: readonly EventKind[]
  readonly only?: readonly string[]
  readonly level: CheckLevel
  readonly timeout: number
  readonly junit?: string
  readonly yes?: true
}

export function addCheck(program: Command): void {
  const levels = ['must', 'should']
  const level = choiceOption('--level <level>', 'exit 1 for a "must" only, or for a "should", too', levels)
  addCommand(program, 'check', {
    description:
      'Check a receiver in any language. Sends it what the service sends, and forgeries. Exits 1 if a response is wrong.',
    examples: [
      'payhook check http://127.0.0.1:3000/webhooks --kind VBA_TRANSACTION --level should',
      'payhook check http://127.0.0.1:3000/webhooks --junit check.xml',
      'payhook check https://staging.example/webhooks --yes --only wrong-key callback-token',
    ],
    notes: `
The client id comes from PAYHOOK_CLIENT_ID. If PAYHOOK_CLIENT_SECRET is set, a
signature with it has to be rejected, too. The receiver handles what is
correctly signed: do not check one that moves money.
`,
    json: 'print one JSON object per line: the results, then a summary',
  })
    .argument('<url>', 'the receiver, with its callback token if it has one', toUrl)
    .addOption(choiceOption('--kind <kinds...>', 'the kinds that it gets; default: all', EVENT_KINDS))
    .option('--only <ids...>', 'run only these cases, after "plain"', toCases)
    .addOption(level.default('must'))
    .addOption(timeOption('--timeout <time>', 'how long to wait for each response', '10s'))
    .option('--junit <file>', 'also write the results to a file, as JUnit XML')
    .option('--yes', 'send to another machine, too')
    .action((url: URL, options: CheckCommandOptions) =>
      untilInterrupted((signal) => check(url, options, signal)),
    )
}

function toCases(id: string, others: readonly string[] = []): readonly string[] {
  const ids = CHECK_CASES.map((each) => each.id)
  if (ids.includes(id)) return [...others, id]
  throw new InvalidArgumentError(`There is no such case.${suggest(id, ids)}`)
}

async function check(url: URL, options: CheckCommandOptions, signal: AbortSignal): Promise<void> {
  const { kind: kinds, only, level, timeout: timeoutMs, junit, yes: allowRemote } = options
  const clientId = required('PAYHOOK_CLIENT_ID')
  const clientSecret = environment('PAYHOOK_CLIENT_SECRET')
  // Opened first, so that a wrong path is known before the check.
  const file = junit === undefined ? undefined : await open(junit, 'w')
  try {
    const report = await checkReceiver({
      ...{ url: url.href, clientId, clientSecret, kinds, only, timeoutMs, allowRemote, signal },
      onResult(result, { done, total, stopped }) {
        showProgress()
        printResult(result, stopped)
        if (done < total) showProgress('checking', done, total)
      },
    })
    const counts = (result: CheckResult) => level === 'should' || result.level === 'must'
    printReport(report)
    await file?.writeFile(toJunitXml(report, counts))
    const failed = report.results.filter((result) => result.outcome === 'failed' && counts(result))
    // The exit code is that of the interruption, or 0 if the reader of the output has ended.
    if (signal.aborted && failed.length > 0) process.exitCode ||= 1
    if (signal.aborted || (failed.length === 0 && report.passed)) return
    const counted = `${failed.length} of ${report.results.length} cases failed`
    throw new Failure('receiver_failed', report.conclusions[0] ?? report.stopped ?? counted)
  } finally {
    await file?.close()
  }
}

/** Of outcome, id, level, what was observed and title. Fixed, as each result is printed when it comes. */
const COLUMNS = [
  { width: 7 },
  { width: Math.max(...CHECK_CASES.map(({ id }) => id.length)) },
  { width: 6 },
  { width: 12, least: 8 },
  { least: 8 },
]

function printResult(result: CheckResult, stopped: string | undefined): void {
  const { id, level, outcome, observed, title } = result
  // That the rest is skipped is said once, at the end.
  if (outcome === 'skipped' && stopped !== undefined && !isJsonOutput()) return
  const row = [paint(toColor(result), outcome), id, level, observed, title]
  print({ type: 'result', ...result }, () => toTable([row], COLUMNS))
}

function printReport({ url, results, stopped, conclusions }: CheckReport): void {
  const of = (outcome: CheckResult['outcome']) => results.filter((one) => one.outcome === outcome)
  const [passed, failed, skipped] = [of('passed'), of('failed'), of('skipped')]
  const counts = { passed: passed.length, failed: failed.length, skipped: skipped.length }
  // A must before a should.
  const sorted = failed.toSorted((one, other) => one.level.localeCompare(other.level))
  const findings = [...Map.groupBy(sorted, toMistake).values()].flatMap(toFinding)
  const unseen = passed.flatMap((one) => (one.unseen === undefined ? [] : `\n  ${one.id}: ${one.unseen}`))
  print({ type: 'summary', url, ...counts, stopped, conclusions }, () => [
    // What all have in common is said once, at the end.
    ...(conclusions.length > 0 ? [] : findings),
    ...(unseen.length === 0 ? [] : ['\nThe responses do not show', ...unseen, '\n']),
    `\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
    stopped === undefined ? '' : `: ${stopped}`,
  ])
}

function toColor({ outcome, level }: CheckResult): Painted['color'] {
  if (outcome === 'failed') return level === 'should' ? 'yellow' : 'red'
  return outcome === 'passed' ? 'green' : 'none'
}

/** The same for cases that fail for the same reason. */
function toMistake({ id, cause, mend }: CheckResult): string {
  if (cause === undefined) return id
  return cause.startsWith(REJECTS) ? cause : `${cause} ${mend}`
}

/** What was found first, and where it was found again. */
function toFinding([result, ...others]: CheckResult[]) {
  if (result === undefined) return []
  const { id, level, title, expected, observed, cause, why, mend } = result
  const known = [`Expected ${expected}. Got ${toOneLine(observed)}.`, cause ?? [], why, mend].flat()
  if (others.length > 0) known.push(`The same: ${others.map((other) => other.id).join(', ')}.`)
  return ['\n', paint(toColor(result), `${id} (${level})`), `: ${title}\n  ${known.join('\n  ')}\n`]
}
