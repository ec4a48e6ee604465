import type { Command } from 'commander'
import type { Inbox } from '../../../inbox/inbox.ts'
import { confirm } from '../../confirm.ts'
import { UsageError } from '../../errors.ts'
import { forEachEntry } from '../../for-each-entry.ts'
import { addInboxCommand, withInbox } from '../../open-inbox.ts'
import { agoOption, choiceOption } from '../../option-values.ts'
import { note, print } from '../../output.ts'
import { toSubject } from './entries.ts'

interface DeleteCommandOptions {
  readonly subject?: string
  readonly yes?: true
}

interface PruneCommandOptions {
  readonly olderThan: Date
  readonly state: 'completed' | 'dead'
  readonly yes?: true
}

/** Adds `inbox delete` and `inbox prune`. */
export function addDelete(inbox: Command): void {
  addInboxCommand(inbox, 'delete', {
    description: 'Delete entries with their bodies. Asks first.',
    examples: [
      'payhook inbox delete sqlite:inbox.db 17 18 --yes',
      'payhook inbox delete sqlite:inbox.db --subject payment:48121',
    ],
  })
    .argument('[ids...]', 'ids of entries, as list prints them')
    .option('--subject <subject>', 'all entries about this, such as payment:48121', toSubject)
    .option('--yes', 'delete without asking')
    .action(async (url: string, given: string[], { subject, yes }: DeleteCommandOptions) => {
      if (given.length > 0 === (subject !== undefined)) throw new UsageError('Give ids, or --subject.')
      const ids = subject === undefined ? given : await withInbox(url, (opened) => findIds(opened, subject))
      if (ids.length === 0) return note('No entries.')
      await confirm(`Delete ${ids.length === 1 ? 'the entry' : 'the entries'} ${ids.join(', ')}?`, yes)
      await forEachEntry(url, ids, 'deleted', (opened, id) => opened.delete(id))
    })
  addInboxCommand(inbox, 'prune', {
    description: 'Delete entries that were finished some time ago. Asks first.',
    examples: [
      'payhook inbox prune sqlite:inbox.db --older-than 30d',
      'payhook inbox prune sqlite:inbox.db --older-than 90d --state dead --yes',
    ],
  })
    .addOption(
      agoOption('--older-than <time>', 'only entries finished longer ago than this').makeOptionMandatory(),
    )
    .addOption(
      choiceOption('--state <state>', 'only entries in this state', ['completed', 'dead']).default(
        'completed',
      ),
    )
    .option('--yes', 'delete without asking')
    .action(async (url: string, { olderThan, state, yes }: PruneCommandOptions) => {
      const pruned = await withInbox(url, async (opened) => {
        const counts = await opened.counts()
        const question = `Of ${counts[state]} ${state} entries, delete those finished before ${olderThan.toISOString()}?`
        await confirm(question, yes)
        return await opened.prune({ olderThan, state })
      })
      print({ pruned }, () => `${pruned} deleted`)
    })
}

async function findIds(inbox: Inbox, subject: string): Promise<string[]> {
  return await Array.fromAsync(inbox.entries({ subject }), ({ id }) => id)
}
