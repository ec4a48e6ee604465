import type { Command } from 'commander'
import { INBOX_URL, INBOX_URLS, withInbox } from '../../open-inbox.ts'
import { paint, print, toTable } from '../../output.ts'

export function addCounts(inbox: Command): void {
  inbox
    .command('counts')
    .summary('print how many entries are in each state')
    .description('Prints how many entries of an inbox are waiting, active, completed and dead.')
    .argument('<url>', INBOX_URL)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `${INBOX_URLS}

Examples:
  payhook inbox counts sqlite:inbox.db
  payhook inbox counts env:DATABASE_URL --json`,
    )
    .action(async (url: string, { json }: { json?: true }) => {
      const counts = await withInbox(url, (opened) => opened.counts())
      // The four numbers alone: scripts compare this object as a whole.
      if (json) return print(JSON.stringify(counts))
      const rows = Object.entries(counts).map(([state, count]) => [state, String(count)])
      for (const line of toTable(rows))
        print(line.startsWith('dead') && counts.dead > 0 ? paint('red', line) : line)
    })
}
