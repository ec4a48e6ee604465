import type { Command } from 'commander'
import { confirm } from '../../confirm.ts'
import { UsageError } from '../../errors.ts'
import { addInboxCommand, addUrlCommand, withInbox } from '../../open-inbox.ts'
import { agoOption, choiceOption } from '../../option-values.ts'
import { note, print } from '../../output.ts'
import { countEntries, forEachEntry, toSubject } from './entries.ts'

interface PruneOptions {
  readonly olderThan: Date
  readonly state: 'completed' | 'dead'
  readonly yes?: true
}

export function addDelete(inbox: Command): void {
  addUrlCommand(inbox, 'delete', {
    description: 'Delete entries with their bodies. Asks first.',
    examples: [
      'payhook inbox delete sqlite:inbox.db 17 18 --yes',
      'payhook inbox delete sqlite:inbox.db --subject payment:48121',
    ],
  })
    .argument('[ids...]', 'ids of entries, as list prints them')
    .option('--subject <subject>', 'all entries about this, such as payment:48121', toSubject)
    .option('--yes', 'delete without asking')
    .action(deleteEntries)
  const states = choiceOption('--state <state>', 'only entries in this state', ['completed', 'dead'])
  addInboxCommand(inbox, 'prune', {
    description: 'Delete entries that were finished some time ago. Asks first.',
    examples: [
      'payhook inbox prune sqlite:inbox.db --older-than 30d',
      'payhook inbox prune sqlite:inbox.db --older-than 90d --state dead --yes',
    ],
    async run(opened, { olderThan, state, yes }: PruneOptions) {
      const count = await countEntries(opened, state)
      await confirm(
        `Of ${count} ${state} entries, delete those finished before ${olderThan.toISOString()}?`,
        yes,
      )
      const pruned = await opened.prune({ olderThan, state })
      print({ pruned }, () => `${pruned} deleted`)
    },
  })
    .addOption(agoOption('--older-than <time>', 'only entries finished longer ago').makeOptionMandatory())
    .addOption(states.default('completed'))
    .option('--yes', 'delete without asking')
}

async function deleteEntries(
  url: string,
  given: string[],
  { subject, yes }: { subject?: string; yes?: true },
): Promise<void> {
  if (given.length > 0 === (subject !== undefined)) throw new UsageError('Give ids, or --subject.')
  await withInbox(url, async (inbox) => {
    const ids = subject ? await Array.fromAsync(inbox.entries({ subject }), ({ id }) => id) : given
    if (ids.length === 0) return note('No entries.')
    await confirm(`Delete ${ids.length === 1 ? 'the entry' : 'the entries'} ${ids.join(', ')}?`, yes)
    await forEachEntry(ids, 'deleted', (id) => inbox.delete(id))
  })
}
