import { type Command, InvalidArgumentError } from 'commander'
import { toIdentifier } from '../../../events/identifier.ts'
import type { ForgetOutcome, Inbox, InboxEntry } from '../../../inbox/inbox.ts'
import { confirm } from '../../confirm.ts'
import { Failure } from '../../errors.ts'
import { addInboxCommand } from '../../open-inbox.ts'
import { note, warn } from '../../output.ts'
import { printList } from '../../table.ts'
import { ENTRY_COLUMNS, withoutBody } from './entries.ts'

interface ForgetOptions {
  readonly account: string
  readonly waiting?: true
  readonly dryRun?: true
  readonly yes?: true
}

export function addForget(inbox: Command): void {
  addInboxCommand(inbox, 'forget', {
    description:
      'Delete the entries that name an account. These are about payments and invoices with this payer or payee, or about the account itself. Asks first. Keeps what was not handled yet, and then exits with 1.',
    examples: [
      'payhook inbox forget sqlite:inbox.db --account 710021 --dry-run',
      'payhook inbox forget sqlite:inbox.db --account 710021 --yes',
    ],
    run: forget,
  })
    .requiredOption('--account <id>', 'id of the account', toAccountId)
    .option('--waiting', 'also delete what was not handled yet, so that it never is')
    .option('--dry-run', 'delete nothing, and print what would be deleted')
    .option('--yes', 'delete without asking')
}

async function forget(inbox: Inbox, { account: accountId, waiting, dryRun, yes }: ForgetOptions) {
  const rows: ({ outcome: ForgetOutcome } & ReturnType<typeof withoutBody>)[] = []
  const onEntry = (entry: InboxEntry, outcome: ForgetOutcome) => {
    rows.push({ outcome, ...withoutBody(entry) })
  }
  if (!dryRun) {
    const { deleted } = await inbox.forget({ accountId, waiting, dryRun: true })
    if (deleted > 0) await confirm(`Delete ${deleted} entries that name the account ${accountId}?`, yes)
  }
  const { kept, unreadable } = await inbox.forget({ accountId, waiting, dryRun, onEntry })
  printList(rows, [{ title: 'OUTCOME', cell: ({ outcome }) => outcome }, ...ENTRY_COLUMNS], 'No entries.')
  if (dryRun) note('Nothing was deleted.')
  if (unreadable > 0) warn(`${unreadable} cannot be read, so that nobody knows whom they name.`)
  if (kept === 0 || dryRun) return
  const advice = `Run it again later${waiting ? '' : ', or add --waiting'}.`
  throw new Failure('entries_kept', `${kept} were not handled yet, and were kept. ${advice}`)
}

function toAccountId(text: string): string {
  if (toIdentifier(text, text) !== undefined) return text
  throw new InvalidArgumentError('It must be a number, such as 710021.')
}
