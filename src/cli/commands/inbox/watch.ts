import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { InboxCounts } from '../../../inbox/inbox.ts'
import { untilInterrupted } from '../../interruption.ts'
import { INBOX_URL, INBOX_URLS, withInbox } from '../../open-inbox.ts'
import { timeOption } from '../../option-values.ts'
import { paint, print, printJson } from '../../output.ts'

interface WatchOptions {
  readonly interval: number
  readonly json?: true
}

export function addWatch(inbox: Command): void {
  inbox
    .command('watch')
    .summary('print the counts whenever they change')
    .description('Prints how many entries are in each state whenever this changes, until Ctrl-C.')
    .argument('<url>', INBOX_URL)
    .addOption(timeOption('--interval <time>', 'how often to check', '1s'))
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      `${INBOX_URLS}\n\nExamples:\n  payhook inbox watch sqlite:inbox.db\n  payhook inbox watch env:REDIS_URL --json`,
    )
    .action((url: string, options: WatchOptions) => untilInterrupted((signal) => watch(url, options, signal)))
}

async function watch(url: string, { interval, json }: WatchOptions, signal: AbortSignal): Promise<void> {
  await withInbox(url, async (inbox) => {
    let shown = ''
    while (!signal.aborted) {
      const counts = await inbox.counts()
      const text = JSON.stringify(counts)
      if (text !== shown) {
        const time = new Date().toISOString()
        if (json) printJson({ time, ...counts })
        else print(toLine(time, counts))
        shown = text
      }
      await delay(interval, undefined, { signal }).catch(() => {})
    }
  })
}

function toLine(time: string, { waiting, active, completed, dead }: InboxCounts): string {
  const count = (name: string, number: number) => `${name} ${String(number).padEnd(7)}`
  const deadCount = count('dead', dead)
  return [
    time.slice(11, 23),
    count('waiting', waiting),
    count('active', active),
    count('completed', completed),
    dead > 0 ? paint('red', deadCount) : deadCount,
  ]
    .join('  ')
    .trimEnd()
}
