import { type Checks, checkOptions, option, optional } from '../option-checks.ts'
import type { ReplayOptions } from './inbox.ts'
import type { InboxEngine } from './inbox-engine.ts'
import { readEntries } from './pages.ts'

/** How many ids of dead entries are held in memory: about a megabyte. */
const FOUND_AT_ONCE = 10_000

const REPLAY_OPTIONS = {
  kind: optional(
    option<string | null>('a string or null', (kind) => kind === null || typeof kind === 'string'),
  ),
} satisfies Checks<ReplayOptions>

/**
 * Replays dead entries in batches: finds a batch, then replays it. The list does not change while it is read,
 * and memory does not grow with the number of dead entries.
 */
export async function replayDead(
  engine: Pick<InboxEngine, 'counts' | 'list' | 'replayDead'>,
  options: ReplayOptions = {},
): Promise<number> {
  const { kind } = checkOptions('replayDead', options, REPLAY_OPTIONS)
  // An unset variable must not replay everything.
  if ('kind' in options && kind === undefined)
    throw new TypeError('"kind" option is undefined; omit it to replay all')
  const dead = readEntries((...page) => engine.list(...page), ['dead'])
  let replayed = 0
  // Counted once, as entries that die again meanwhile would make this loop endless.
  let left = (await engine.counts()).dead
  while (left > 0) {
    const found = new Set<string>()
    let next = await dead.next()
    for (; !next.done; next = await dead.next()) {
      if (kind === undefined || next.value.kind === kind) found.add(next.value.id)
      if (found.size === FOUND_AT_ONCE) break
    }
    if (found.size === 0) break
    left -= found.size
    replayed += await engine.replayDead([...found])
  }
  return replayed
}
