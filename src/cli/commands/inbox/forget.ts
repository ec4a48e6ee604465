import { type Command, InvalidArgumentError } from 'commander'
import { toIdentifier } from '../../../events/identifier.ts'
import type { ForgetOutcome, InboxEntry } from '../../../inbox/inbox.ts'
import { confirm } from '../../confirm.ts'
import { Failure } from '../../errors.ts'
import { addInboxCommand, withInbox } from '../../open-inbox.ts'
import { note, warn } from '../../output.ts'
import { type Column, printList } from '../../table.ts'
import { withoutBody } from './entries.ts'

interface ForgetCommandOptions {
  readonly account: string
  readonly waiting?: true
  readonly dryRun?: true
  readonly yes?: true
}

/** Adds `inbox forget`. */
export function addForget(inbox: Command): void {
  addInboxCommand(inbox, 'forget', {
    description:
      'Delete the entries that name an account. These are about payments and invoices with this payer or payee, or about the account itself. Asks first. Keeps what was not handled yet, and then exits with 1.',
    examples: [
      'payhook inbox forget sqlite:inbox.db --account 710021 --dry-run',
      'payhook inbox forget sqlite:inbox.db --account 710021 --yes',
    ],
  })
    .requiredOption('--account <id>', 'id of the account', toAccountId)
    .option('--waiting', 'also delete what was not handled yet, so that it never is')
    .option('--dry-run', 'delete nothing, and print what would be deleted')
    .option('--yes', 'delete without asking')
    .action(run)
}

async function run(url: string, options: ForgetCommandOptions): Promise<void> {
  const { account: accountId, waiting, dryRun, yes } = options
  const rows: Row[] = []
  const onEntry = (entry: InboxEntry, outcome: ForgetOutcome) => {
    rows.push({ outcome, ...withoutBody(entry) })
  }
  const { kept, unreadable } = await withInbox(url, async (inbox) => {
    if (dryRun) return await inbox.forget({ accountId, waiting, dryRun, onEntry })
    const { deleted } = await inbox.forget({ accountId, waiting, dryRun: true })
    await confirm(`Delete ${deleted} entries that name the account ${accountId}?`, yes)
    return await inbox.forget({ accountId, waiting, onEntry })
  })
  printList(rows, COLUMNS, 'No entries.')
  if (dryRun) note('Nothing was deleted.')
  if (unreadable > 0) warn(`${unreadable} cannot be read, so that nobody knows whom they name.`)
  if (kept > 0 && !dryRun) {
    const advice = waiting ? '' : ', or add --waiting'
    throw new Failure(
      'entries_kept',
      `${kept} were not handled yet, and were kept. Run it again later${advice}.`,
    )
  }
}

type Row = { readonly outcome: ForgetOutcome } & ReturnType<typeof withoutBody>

const COLUMNS: readonly Column<Row>[] = [
  { title: 'OUTCOME', cell: ({ outcome }) => outcome },
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'KIND', cell: ({ kind }) => kind ?? 'unreadable', least: 8 },
  { title: 'SUBJECT', cell: ({ subject }) => subject ?? '-' },
  { title: 'RECEIVED', cell: ({ receivedAt }) => receivedAt.toISOString() },
]

function toAccountId(text: string): string {
  if (toIdentifier(text, text) !== undefined) return text
  throw new InvalidArgumentError('It must be a number, such as 710021.')
}
