import type { Command } from 'commander'
import type { ReplayFilter } from '../../../inbox/inbox.ts'
import type { ReplayState } from '../../../inbox/inbox-engine.ts'
import { UsageError } from '../../errors.ts'
import { forEachEntry } from '../../for-each-entry.ts'
import { addInboxCommand, withInbox } from '../../open-inbox.ts'
import { agoOption, choiceOption, toPerSecond } from '../../option-values.ts'
import { print } from '../../output.ts'
import { showProgress } from '../../show-progress.ts'
import { toSubject } from './entries.ts'

interface ReplayCommandOptions extends ReplayFilter {
  readonly all?: true
  readonly rate?: number
  readonly dryRun?: true
  readonly json?: true
}

const STATES: readonly ReplayState[] = ['dead', 'completed', 'waiting']

/** Adds `inbox replay`. */
export function addReplay(inbox: Command): void {
  addInboxCommand(inbox, 'replay', {
    description:
      'Handle entries again. The application does so with a full set of attempts: at once, or with --rate at times that are spread evenly.',
    examples: [
      'payhook inbox replay sqlite:inbox.db 17 18',
      'payhook inbox replay sqlite:inbox.db --all',
      'payhook inbox replay sqlite:inbox.db --since 6h --error ECONNREFUSED --dry-run',
      'payhook inbox replay env:DATABASE_URL --kind INBOUND_PAYMENT_STATUS_UPDATED --rate 50/s',
    ],
  })
    .argument('[ids...]', 'ids of entries, as list prints them')
    .option('--all', 'all dead entries')
    .addOption(
      choiceOption('--state <state>', 'entries in this state; waiting are retries that are not due', STATES),
    )
    .option('--kind <kind>', 'only entries of this kind')
    .option('--subject <subject>', 'only entries about this, such as payment:48121', toSubject)
    .addOption(agoOption('--since <time>', 'only entries finished in this time'))
    .addOption(agoOption('--until <time>', 'only entries finished longer ago than this'))
    .option('--error <text>', 'only entries whose error contains this')
    .option(
      '--rate <rate>',
      'how many at most become due in a time, such as 50/s, 100/m or 1000/h',
      toPerSecond,
    )
    .option('--dry-run', 'replay nothing, and print how many it would be')
    .action(async (url: string, ids: string[], options: ReplayCommandOptions) => {
      const { all, rate: perSecond, dryRun = false, json: _json, ...filter } = options
      const isFiltered = Object.keys(filter).length > 0
      if ([ids.length > 0, all, isFiltered].filter(Boolean).length !== 1)
        throw new UsageError('Give ids, filters such as --since 6h, or --all for all dead entries.')
      if (ids.length > 0) {
        if (perSecond ?? options.dryRun) throw new UsageError('--rate and --dry-run are not for ids.')
        return await forEachEntry(url, ids, 'replayed', (opened, id) => opened.replay(id))
      }
      const replayed = await withInbox(url, async (opened) => {
        const total = (await opened.counts())[filter.state ?? 'dead']
        const onProgress = ({ checked }: { checked: number }) =>
          showProgress('checking', checked, Math.max(total, checked))
        return await opened.replayAll(all ? { state: 'dead' } : filter, { perSecond, dryRun, onProgress })
      }).finally(() => showProgress())
      print({ dryRun, replayed }, () => `${replayed} ${dryRun ? 'would be ' : ''}replayed`)
    })
}
