import type { Command } from 'commander'
import { UsageError } from '../../errors.ts'
import { addInboxCommand, forEachEntry } from '../../inbox-command.ts'
import { withInbox } from '../../open-inbox.ts'
import { print } from '../../output.ts'

interface ReplayCommandOptions {
  readonly dead?: true
  readonly kind?: string
}

export function addReplay(inbox: Command): void {
  addInboxCommand(inbox, 'replay', {
    description: 'Handle entries again. The application does so at once and with a full set of attempts.',
    examples: [
      'payhook inbox replay sqlite:inbox.db 17 18',
      'payhook inbox replay sqlite:inbox.db --dead --kind INBOUND_PAYMENT_STATUS_UPDATED',
    ],
  })
    .argument('[ids...]', 'ids of entries, as list prints them')
    .option('--dead', 'replay all dead entries')
    .option('--kind <kind>', 'with --dead: only entries of this kind')
    .action(async (url: string, ids: string[], { dead, kind }: ReplayCommandOptions) => {
      if (ids.length > 0 === (dead === true))
        throw new UsageError('Give ids, or --dead for all dead entries.')
      if (kind !== undefined && !dead) throw new UsageError('--kind requires --dead.')
      if (!dead) return await forEachEntry(url, ids, 'replayed', (opened, id) => opened.replay(id))
      const replayed = await withInbox(url, (opened) => opened.replayDead(kind === undefined ? {} : { kind }))
      print({ replayed }, () => `${replayed} replayed`)
    })
}
