import { type Command, Option } from 'commander'
import type { Inbox, InboxState } from '../../../inbox/inbox.ts'
import { addInboxCommand, type EntryWithoutBody, withoutBody } from '../../inbox-command.ts'
import { withInbox } from '../../open-inbox.ts'
import { toCount } from '../../option-values.ts'
import { type Column, printList } from '../../table.ts'

interface ListCommandOptions {
  readonly state?: InboxState
  readonly kind?: string
  readonly limit: number
}

export function addList(inbox: Command): void {
  addInboxCommand(inbox, 'list', {
    description:
      'List entries without their bodies. The oldest first: dead, then active, waiting and completed ones.',
    examples: [
      'payhook inbox list sqlite:inbox.db --state dead',
      'payhook inbox list sqlite:inbox.db --kind INBOUND_PAYMENT_STATUS_UPDATED --limit 1000 --json',
    ],
  })
    .addOption(
      new Option('--state <state>', 'list only this state').choices([
        'dead',
        'active',
        'waiting',
        'completed',
      ]),
    )
    .option('--kind <kind>', 'list only this kind')
    .option('--limit <number>', 'how many at most', toCount, 50)
    .action(async (url: string, options: ListCommandOptions) => {
      const entries = await withInbox(url, (opened) => Array.fromAsync(find(opened, options)))
      printList(entries, COLUMNS, 'No entries.')
    })
}

async function* find(
  inbox: Inbox,
  { state, kind, limit }: ListCommandOptions,
): AsyncGenerator<EntryWithoutBody> {
  let left = limit
  for await (const entry of inbox.entries({ state })) {
    if (kind !== undefined && entry.kind !== kind) continue
    yield withoutBody(entry)
    left -= 1
    if (left === 0) return
  }
}

const COLUMNS: readonly Column<EntryWithoutBody>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'KIND', cell: ({ kind }) => kind ?? 'unreadable', cut: true },
  { title: 'ATTEMPTS', cell: ({ attempts }) => `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` },
  { title: 'RECEIVED', cell: ({ receivedAt }) => receivedAt.toISOString() },
  { title: 'ERROR', cell: ({ error }) => error?.slice(0, 100) ?? '', cut: true },
]
