import type { Command } from 'commander'
import { UsageError } from '../../errors.ts'
import { INBOX_URL, INBOX_URLS, withInbox } from '../../open-inbox.ts'
import { print, printJson } from '../../output.ts'

interface ReplayCommandOptions {
  readonly dead?: true
  readonly kind?: string
  readonly json?: true
}

export function addReplay(inbox: Command): void {
  inbox
    .command('replay')
    .summary('handle entries again')
    .description('Makes the application handle entries again, at once and with a full set of attempts.')
    .argument('<url>', INBOX_URL)
    .argument('[ids...]', 'ids of entries, as list prints them')
    .option('--dead', 'replay all dead entries')
    .option('--kind <kind>', 'with --dead: only entries of this kind')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `${INBOX_URLS}

Examples:
  payhook inbox replay sqlite:inbox.db 17 18
  payhook inbox replay sqlite:inbox.db --dead --kind INBOUND_PAYMENT_STATUS_UPDATED`,
    )
    .action(async (url: string, ids: string[], { dead, kind, json }: ReplayCommandOptions) => {
      if (ids.length > 0 === (dead === true))
        throw new UsageError('Give ids, or --dead for all dead entries.')
      if (kind !== undefined && !dead) throw new UsageError('--kind requires --dead.')
      const replayed = await withInbox(url, async (opened) => {
        if (dead) return await opened.replayDead(kind === undefined ? {} : { kind })
        for (const id of ids) await opened.replay(id)
        return ids.length
      })
      if (json) printJson({ replayed })
      else print(`${replayed} replayed`)
    })
}
