import type { Command } from 'commander'
import { engineOf } from '../../../inbox/create-inbox.ts'
import { fromIdempotencyKey } from '../../../inbox/entry-ids.ts'
import type { Inbox, InboxEntry, InboxState } from '../../../inbox/inbox.ts'
import type { InboxEngine } from '../../../inbox/inbox-engine.ts'
import { isPayhookError } from '../../../is-payhook-error.ts'
import { Failure, UsageError } from '../../errors.ts'
import { untilInterrupted } from '../../interruption.ts'
import { addUrlCommand, isOpenElsewhere, openInbox, withInbox } from '../../open-inbox.ts'
import { print, warn } from '../../output.ts'
import { showProgress } from '../../show-progress.ts'

const PAGE = 200
const STATES: readonly InboxState[] = ['dead', 'completed', 'waiting']

export function addMove(inbox: Command): void {
  addUrlCommand(inbox, 'move', {
    description:
      'Move all entries to another inbox. With their state, exact bytes and attempts. The other inbox is created if it does not exist. Stop the application that uses the first one. Run an interrupted move again to continue it, within "keepCompletedSeconds" of the other inbox: no entry is lost or moved twice. In Redis, finished entries count as finished now.',
    examples: [
      'payhook inbox move sqlite:inbox.db env:DATABASE_URL',
      'payhook inbox move redis://127.0.0.1 sqlite:inbox.db --json',
    ],
  })
    .argument('<to>', 'URL of the inbox to move to')
    .action((from: string, to: string) => untilInterrupted((signal) => move(from, to, signal)))
}

async function move(from: string, to: string, signal: AbortSignal): Promise<void> {
  if (from === to) throw new UsageError('Give two different inboxes.')
  await withInbox(from, (source) => source.counts())
  if (await isOpenElsewhere(from))
    warn('Another process has the inbox open. Stop the application: what it stores from now on is not moved.')
  await withInbox(from, async (source) => {
    const { active, ...counts } = await source.counts()
    if (active > 0)
      throw new Failure(
        'inbox_in_use',
        `${active} entries are being handled. Stop the application. After a crash, start and stop it once.`,
      )
    const target = await openTarget(to)
    try {
      if ((await engineOf(source).identity()) === (await engineOf(target).identity()))
        throw new UsageError('Both are the same inbox.')
      const moved = await moveAll(source, target, counts.dead + counts.completed + counts.waiting, signal)
      const finished = !signal.aborted
      print({ moved, finished }, () => `${moved} moved${finished ? '' : '; run it again to continue'}`)
    } finally {
      await target.close()
    }
  })
}

/** Creates the inbox only if there is none, since that would change the options of an existing one. */
async function openTarget(url: string): Promise<Inbox> {
  let target: Inbox | undefined
  try {
    target = await openInbox(url)
    await target.counts()
    return target
  } catch (error) {
    await target?.close()
    if (!isPayhookError(error) || error.code !== 'inbox_misconfigured') throw error
    warn(
      'There is no inbox to move to, so it is created. Only a receiver with this path, "schema", or "queueName" and "prefix" handles what is moved.',
    )
    return await openInbox(url, true)
  }
}

async function moveAll(source: Inbox, target: Inbox, total: number, signal: AbortSignal): Promise<number> {
  let all = 0
  for (const state of STATES) {
    while (!signal.aborted) {
      const { found, moved } = await movePage(engineOf(source), engineOf(target), state)
      if (found === 0) break
      if (moved < found) throw new Failure('inbox_in_use', 'The application is using the inbox. Stop it.')
      all += moved
      showProgress('moving', all, total)
    }
  }
  showProgress()
  return all
}

/**
 * Moves the first entries in a state to another inbox. If it is interrupted, an entry may be in both, never in
 * neither; moving it again, in either direction, removes it from where it is moved from.
 */
export async function movePage(
  source: InboxEngine,
  target: InboxEngine,
  state: InboxState,
): Promise<{ found: number; moved: number }> {
  const page = await source.list(state, PAGE, undefined)
  if (page.length === 0) return { found: 0, moved: 0 }
  const idOf = (entry: InboxEntry) => fromIdempotencyKey(entry.idempotencyKey).lastingId
  await target.import(page.map((entry) => ({ ...entry, id: idOf(entry) })))
  return { found: page.length, moved: await source.remove(page.map(({ id }) => id)) }
}
