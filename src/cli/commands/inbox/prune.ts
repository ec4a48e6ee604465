import { type Command, Option } from 'commander'
import { confirm } from '../../confirm.ts'
import { addInboxCommand } from '../../inbox-command.ts'
import { withInbox } from '../../open-inbox.ts'
import { timeOption } from '../../option-values.ts'
import { print } from '../../output.ts'

interface PruneCommandOptions {
  readonly olderThan: number
  readonly state: 'completed' | 'dead'
  readonly yes?: true
}

export function addPrune(inbox: Command): void {
  addInboxCommand(inbox, 'prune', {
    description: 'Delete entries that were finished some time ago. Asks first.',
    examples: [
      'payhook inbox prune sqlite:inbox.db --older-than 30d',
      'payhook inbox prune sqlite:inbox.db --older-than 90d --state dead --yes',
    ],
  })
    .addOption(
      timeOption('--older-than <time>', 'only entries finished longer ago than this').makeOptionMandatory(),
    )
    .addOption(
      new Option('--state <state>', 'only entries in this state')
        .choices(['completed', 'dead'])
        .default('completed'),
    )
    .option('--yes', 'delete without asking')
    .action(async (url: string, { olderThan, state, yes }: PruneCommandOptions) => {
      const before = new Date(Date.now() - olderThan)
      const pruned = await withInbox(url, async (opened) => {
        const counts = await opened.counts()
        const question = `Of ${counts[state]} ${state} entries, delete those finished before ${before.toISOString()}?`
        await confirm(question, yes)
        return await opened.prune({ olderThan: before, state })
      })
      print({ pruned }, () => `${pruned} deleted`)
    })
}
