import type { Command } from 'commander'
import { isJsonObject } from '../../../json/json-value.ts'
import { parseForCaller } from '../../../json/parse-json.ts'
import { OptionError } from '../../../option-checks.ts'
import type { ReconcileItem } from '../../../reconcile/listed-item.ts'
import { reconcile } from '../../../reconcile/reconcile.ts'
import { required } from '../../environment.ts'
import { Failure, toOwnWords, UsageError } from '../../errors.ts'
import { addUrlCommand, withInbox } from '../../open-inbox.ts'
import { agoOption, timeOption, toSeconds } from '../../option-values.ts'
import { note, print, warn } from '../../output.ts'
import { readLines } from '../../read-input.ts'
import { showProgress } from '../../show-progress.ts'

interface ReconcileOptions {
  readonly from: string
  readonly dryRun?: true
  readonly grace: number
  readonly since: Date
  readonly keepCompleted?: number
}

export function addReconcile(inbox: Command): void {
  addUrlCommand(inbox, 'reconcile', {
    description:
      "Store what never came, so that the application handles it. Compares a list of what the service's API says now with what the inbox has had. Run an interrupted one again to continue it.",
    examples: [
      'payhook inbox reconcile sqlite:inbox.db --from payments.ndjson --dry-run',
      'list-payments --updated-since 2d > list.ndjson && payhook inbox reconcile env:DATABASE_URL --from list.ndjson --since 2d',
    ],
  })
    .requiredOption(
      '--from <file>',
      'file with a line { "kind", "data", "updatedAt" } for each item, the last if known, or - for stdin',
    )
    .option('--dry-run', 'store nothing, and print what is missing to stderr')
    .addOption(agoOption('--since <time>', 'how far back the list goes', '1d'))
    .addOption(timeOption('--grace <time>', 'how long a notification may be on its way', '1m'))
    .addOption(
      timeOption(
        '--keep-completed <time>',
        'keepCompletedSeconds of the application, if it is not the default',
      ).argParser(toSeconds),
    )
    .action(run)
}

async function run(url: string, options: ReconcileOptions): Promise<void> {
  const { from, dryRun = false, grace, since, keepCompleted } = options
  const clientId = required('PAYHOOK_CLIENT_ID')
  let line = 0
  let missed = 0
  const showChecked = createMeter('checked')
  const showStored = createMeter('stored')

  async function* list(): AsyncGenerator<ReconcileItem> {
    for await (const text of readLines(from)) {
      line += 1
      if (line % 100 === 1) showChecked(line)
      if (text.trim() !== '') yield parseItem(text, line)
    }
    showProgress(`checked ${line}, looking again at what is missing`)
  }

  try {
    const result = await withInbox(
      url,
      (inbox) =>
        reconcile({
          inbox,
          clientId,
          list: list(),
          graceMs: grace,
          dryRun,
          since,
          onMissed(item) {
            missed += 1
            if (dryRun) noteMissing(item)
            else showStored(missed)
          },
        }),
      keepCompleted === undefined ? {} : { keepCompletedSeconds: keepCompleted },
    )
    showProgress()
    const recovered = dryRun ? '' : `, ${result.recovered} recovered`
    print({ dryRun, ...result }, () => `${result.checked} checked, ${result.missed} missed${recovered}`)
  } catch (error) {
    showProgress()
    if (missed > 0 && !dryRun) warn(`${missed} that were missing are stored. Run it again to continue.`)
    if (error instanceof OptionError && error.option === 'since')
      throw new UsageError(
        `${toOwnWords(error)}. If the application keeps them for longer, give that time as --keep-completed.`,
      )
    const [, what] = /^Item \d+ of "list" (.*)/s.exec((error as Error).message) ?? []
    throw what === undefined ? error : new Failure('line_invalid', `Line ${line} ${what}.`)
  }
}

/** Shows a number, and how fast it grows. */
function createMeter(label: string): (count: number) => void {
  let startedAt: number | undefined
  return (count) => {
    startedAt ??= performance.now()
    const seconds = Math.max(1, (performance.now() - startedAt) / 1_000)
    showProgress(`${label} ${count}, ${Math.round(count / seconds)} a second`)
  }
}

/** @throws Failure if it is not JSON. What it has to be, reconcile() checks. */
function parseItem(text: string, line: number): ReconcileItem {
  try {
    return parseForCaller(text) as unknown as ReconcileItem
  } catch {
    throw new Failure('line_invalid', `Line ${line} is not JSON.`)
  }
}

function noteMissing({ kind, data }: ReconcileItem): void {
  showProgress()
  const { id, status = '' } = isJsonObject(data) ? data : {}
  note(`missing: ${kind} ${id} ${status}`)
}
