import type { Command } from 'commander'
import type { Inbox, ReplayFilter } from '../../../inbox/inbox.ts'
import { Failure, UsageError } from '../../errors.ts'
import { addUrlCommand, withInbox } from '../../open-inbox.ts'
import { agoOption, choiceOption, toPerSecond } from '../../option-values.ts'
import { print } from '../../output.ts'
import { showProgress } from '../../show-progress.ts'
import { countEntries, forEachEntry, toSubject } from './entries.ts'

interface ReplayOptions extends ReplayFilter {
  readonly all?: true
  readonly rate?: number
  readonly dryRun?: true
  readonly json?: true
}

export function addReplay(inbox: Command): void {
  const states = ['dead', 'completed', 'waiting']
  addUrlCommand(inbox, 'replay', {
    description:
      'Handle entries again. The application does so with a full set of attempts: at once, or with --rate at times that are spread evenly.',
    examples: [
      'payhook inbox replay sqlite:inbox.db 17 18',
      'payhook inbox replay sqlite:inbox.db --since 6h --error ECONNREFUSED --dry-run',
      'payhook inbox replay env:DATABASE_URL --all --rate 50/s',
    ],
  })
    .argument('[ids...]', 'ids of entries, as list prints them; completed ones need --state completed')
    .option('--all', 'all dead entries')
    .addOption(choiceOption('--state <state>', 'in this state; waiting are retries that are not due', states))
    .option('--kind <kind>', 'only entries of this kind')
    .option('--subject <subject>', 'only entries about this, such as payment:48121', toSubject)
    .addOption(agoOption('--since <time>', 'only entries finished in this time'))
    .addOption(agoOption('--until <time>', 'only entries finished longer ago than this'))
    .option('--error <text>', 'only entries whose error contains this')
    .option('--rate <rate>', 'how many at most become due in a time, such as 50/s or 1000/h', toPerSecond)
    .option('--dry-run', 'replay nothing, and print how many it would be')
    .action(replay)
}

async function replay(url: string, ids: string[], options: ReplayOptions): Promise<void> {
  const { all, rate: perSecond, dryRun = false, json: _json, ...filter } = options
  const isAgain = filter.state === 'completed'
  const isFiltered = Object.keys(filter).length > (isAgain && ids.length > 0 ? 1 : 0)
  if ([ids.length > 0, all, isFiltered].filter(Boolean).length !== 1)
    throw new UsageError('Give ids, filters such as --since 6h, or --all for all dead entries.')
  if (ids.length > 0) {
    if (perSecond ?? options.dryRun) throw new UsageError('--rate and --dry-run are not for ids.')
    return await withInbox(url, (inbox) => replayIds(inbox, ids, isAgain))
  }
  const replayed = await withInbox(url, async (inbox) => {
    const total = await countEntries(inbox, filter.state ?? 'dead')
    const onProgress = ({ checked }: { checked: number }) =>
      showProgress('checking', checked, Math.max(total, checked))
    return await inbox.replayAll(all ? { state: 'dead' } : filter, { perSecond, dryRun, onProgress })
  }).finally(() => showProgress())
  print({ dryRun, replayed }, () => `${replayed} ${dryRun ? 'would be ' : ''}replayed`)
}

/** Leaves what is completed, unless it is to be handled again: a command that is repeated must not do it. */
async function replayIds(inbox: Inbox, ids: string[], isAgain: boolean): Promise<void> {
  const isLeft = async (id: string) => !isAgain && (await inbox.get(id))?.state === 'completed'
  const left: string[] = []
  await forEachEntry(ids, 'replayed', async (id) => {
    if (!(await isLeft(id))) return await inbox.replay(id)
    left.push(id)
    return false
  })
  if (left.length === 0) return
  const advice = 'To have your handlers do their work once more, add --state completed.'
  throw new Failure('entry_completed', `Completed, and so not replayed: ${left.join(', ')}. ${advice}`)
}
