import { type Command, Option } from 'commander'
import { confirm } from '../../confirm.ts'
import { INBOX_URL, INBOX_URLS, withInbox } from '../../open-inbox.ts'
import { toMilliseconds } from '../../option-values.ts'
import { print, printJson } from '../../output.ts'

interface PruneCommandOptions {
  readonly olderThan: number
  readonly state: 'completed' | 'dead'
  readonly yes?: true
  readonly json?: true
}

export function addPrune(inbox: Command): void {
  inbox
    .command('prune')
    .summary('delete finished entries')
    .description('Deletes entries that were finished some time ago. Asks first.')
    .argument('<url>', INBOX_URL)
    .requiredOption(
      '--older-than <time>',
      'only entries finished longer ago than this, such as 30d or 12h',
      toMilliseconds,
    )
    .addOption(new Option('--state <state>').choices(['completed', 'dead']).default('completed'))
    .option('--yes', 'delete without asking')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `${INBOX_URLS}

Examples:
  payhook inbox prune sqlite:inbox.db --older-than 30d
  payhook inbox prune sqlite:inbox.db --older-than 90d --state dead --yes`,
    )
    .action(async (url: string, { olderThan, state, yes, json }: PruneCommandOptions) => {
      const before = new Date(Date.now() - olderThan)
      const pruned = await withInbox(url, async (opened) => {
        const counts = await opened.counts()
        const question = `Of ${counts[state]} ${state} entries, delete those finished before ${before.toISOString()}?`
        await confirm(question, yes)
        return await opened.prune({ olderThan: before, state })
      })
      if (json) printJson({ pruned })
      else print(`${pruned} deleted`)
    })
}
