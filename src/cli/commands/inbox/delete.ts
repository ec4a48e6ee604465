import type { Command } from 'commander'
import { confirm } from '../../confirm.ts'
import { addInboxCommand, forEachEntry } from '../../inbox-command.ts'

export function addDelete(inbox: Command): void {
  addInboxCommand(inbox, 'delete', {
    description: 'Delete entries with their bodies. Asks first.',
    examples: ['payhook inbox delete sqlite:inbox.db 17', 'payhook inbox delete sqlite:inbox.db 17 18 --yes'],
  })
    .argument('<ids...>', 'ids of entries, as list prints them')
    .option('--yes', 'delete without asking')
    .action(async (url: string, ids: string[], { yes }: { yes?: true }) => {
      await confirm(`Delete ${ids.length === 1 ? 'the entry' : 'the entries'} ${ids.join(', ')}?`, yes)
      await forEachEntry(url, ids, 'deleted', (opened, id) => opened.delete(id))
    })
}
