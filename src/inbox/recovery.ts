import { setImmediate as nextTurn } from 'node:timers/promises'
import { InboxError } from '../errors.ts'
import { readEnvelope } from '../events/read-envelope.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { type Checks, checkOptions, integer, oneOf, option, optional, text } from '../option-checks.ts'
import type {
  EntriesOptions,
  InboxCounts,
  InboxEntry,
  InboxState,
  ListOptions,
  PruneOptions,
  ReplayOptions,
} from './inbox.ts'
import type { InboxEngine } from './inbox-engine.ts'

/** The states, those that need attention first. */
export const STATES: readonly InboxState[] = ['dead', 'active', 'waiting', 'completed']
const PAGE = 100
/** The most bytes of bodies in a page, unless a single body is larger. */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024
/** How many ids of dead entries are held in memory: about a megabyte. */
const FOUND_AT_ONCE = 10_000

/** The counts of an inbox, from the count of each state. */
export function toCounts(count: (state: InboxState) => number): InboxCounts {
  return {
    waiting: count('waiting'),
    active: count('active'),
    completed: count('completed'),
    dead: count('dead'),
  }
}

/** The kind of a stored body, or `null` if the body cannot be parsed. */
export function kindOf(rawBody: Uint8Array): string | null {
  try {
    return readEnvelope(rawBody).kind
  } catch {
    return null
  }
}

export const LIST_OPTIONS = {
  state: oneOf(STATES),
  limit: integer(1, 1_000, PAGE),
  after: optional(text()),
} satisfies Checks<ListOptions>

export const ENTRIES_OPTIONS = { state: optional(oneOf(STATES)) } satisfies Checks<EntriesOptions>

export const PRUNE_OPTIONS = {
  olderThan: option<Date>(
    'a valid Date, as in new Date(Date.now() - 7 * 86_400_000)',
    (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  ),
  // Unfinished entries are never pruned.
  state: oneOf(['completed', 'dead'], 'completed'),
} satisfies Checks<PruneOptions>

const REPLAY_OPTIONS = {
  kind: optional(
    option<string | null>('a string or null', (kind) => kind === null || typeof kind === 'string'),
  ),
} satisfies Checks<ReplayOptions>

/** @throws TypeError if it is not a non-empty string */
export function checkId(id: string): string {
  if (typeof id === 'string' && id !== '') return id
  throw new TypeError('"id" must be the id of an entry, as list() returns it')
}

export function entryNotFound(id: string): InboxError {
  return new InboxError('entry_not_found', `The inbox has no entry ${JSON.stringify(id)}.`)
}

export function entryActive(id: string): InboxError {
  return new InboxError(
    'entry_active',
    `The entry ${JSON.stringify(id)} is being handled; try again afterwards.`,
  )
}

/**
 * All entries in some states, read page by page. Some engines cannot continue after an entry that has left its
 * state; then the one before it is tried, and at last the first page.
 */
export async function* readEntries(
  list: InboxEngine['list'],
  states: readonly InboxState[],
): AsyncGenerator<InboxEntry, void, undefined> {
  for (const state of states) {
    let page: readonly InboxEntry[] = []
    let last = 0
    do {
      try {
        page = await list(state, PAGE, page[last]?.id)
        last = page.length - 1
      } catch (error) {
        if (last < 0 || !isPayhookError(error) || error.code !== 'entry_not_found') throw error
        last -= 1
        continue
      }
      yield* page
      // A synchronous engine must not block the event loop.
      await nextTurn()
    } while (page.length > 0)
  }
}

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
