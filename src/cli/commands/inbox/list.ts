import { type Command, Option } from 'commander'
import type { InboxEntry, InboxState } from '../../../inbox/inbox.ts'
import { INBOX_URL, INBOX_URLS, withInbox } from '../../open-inbox.ts'
import { toCount } from '../../option-values.ts'
import { print, printJson, toOneLine, toTable } from '../../output.ts'

/** Entries that need attention come first. */
const STATES: readonly InboxState[] = ['dead', 'active', 'waiting', 'completed']

interface ListCommandOptions {
  readonly state?: InboxState
  readonly kind?: string
  readonly limit: number
  readonly json?: true
}

export function addList(inbox: Command): void {
  inbox
    .command('list')
    .summary('list entries')
    .description(
      'Lists entries without their bodies, oldest first: dead, then active, waiting and completed ones.',
    )
    .argument('<url>', INBOX_URL)
    .addOption(new Option('--state <state>', 'list only this state').choices(STATES))
    .option('--kind <kind>', 'list only this kind')
    .option('--limit <number>', 'how many at most', toCount, 50)
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      `${INBOX_URLS}

Examples:
  payhook inbox list sqlite:inbox.db --state dead
  payhook inbox list sqlite:inbox.db --kind INBOUND_PAYMENT_STATUS_UPDATED --limit 1000 --json`,
    )
    .action(async (url: string, options: ListCommandOptions) => {
      const entries = await withInbox(url, (opened) => Array.fromAsync(find(opened, options)))
      if (options.json) for (const entry of entries) printJson(describeEntry(entry))
      else for (const line of toTable(entries.map(toRow))) print(line)
    })
}

async function* find(
  inbox: Parameters<Parameters<typeof withInbox>[1]>[0],
  { state: only, kind, limit }: ListCommandOptions,
): AsyncGenerator<InboxEntry> {
  let left = limit
  for (const state of only === undefined ? STATES : [only]) {
    let page: InboxEntry[] = []
    do {
      const after = page.at(-1)?.id
      page = await inbox.list({ state, after })
      for (const entry of page) {
        if (left === 0) return
        if (kind !== undefined && entry.kind !== kind) continue
        left -= 1
        yield entry
      }
    } while (page.length > 0)
  }
}

/** An entry without its body. */
export function describeEntry({ rawBody, ...entry }: InboxEntry): object {
  return { ...entry, bytes: rawBody.length }
}

function toRow({ id, state, kind, attempts, receivedAt, error }: InboxEntry): string[] {
  return [
    id,
    state,
    toOneLine(kind ?? 'unreadable'),
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
    receivedAt.toISOString(),
    toOneLine(error ?? '').slice(0, 100),
  ]
}
