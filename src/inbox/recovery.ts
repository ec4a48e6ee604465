import { setImmediate as nextTurn } from 'node:timers/promises'
import { InboxError } from '../errors.ts'
import { readEnvelope } from '../events/read-envelope.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { assertOptions, withinRange } from '../option-checks.ts'
import type {
  EntriesOptions,
  InboxEntry,
  InboxState,
  ListOptions,
  PruneOptions,
  ReplayOptions,
} from './inbox.ts'
import type { InboxEngine } from './inbox-engine.ts'

/** The states, those that need attention first. */
const STATES: readonly InboxState[] = ['dead', 'active', 'waiting', 'completed']
const PAGE = 100
/** The most bytes of bodies in a page, unless a single body is larger. */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024
/** How many ids of dead entries are held in memory: about a megabyte. */
const FOUND_AT_ONCE = 10_000

/** The kind of a stored body, or `null` if the body cannot be parsed. */
export function kindOf(rawBody: Uint8Array): string | null {
  try {
    return readEnvelope(rawBody).kind
  } catch {
    return null
  }
}

/** @throws TypeError if an option is invalid */
export function checkListOptions(options: ListOptions): {
  state: InboxState
  limit: number
  after: string | undefined
} {
  assertOptions(options, ['state', 'limit', 'after'])
  const { state, limit, after } = options
  checkState(state)
  if (after !== undefined) checkId('after', after)
  return { state, limit: withinRange('limit', limit, PAGE, 1, 1_000), after }
}

/**
 * @returns the states to read
 * @throws TypeError if an option is invalid
 */
export function checkEntriesOptions(options: EntriesOptions = {}): readonly InboxState[] {
  assertOptions(options, ['state'])
  return options.state === undefined ? STATES : [checkState(options.state)]
}

function checkState(state: InboxState): InboxState {
  if (STATES.includes(state)) return state
  throw new TypeError(`"state" option must be one of ${STATES.join(', ')}`)
}

/** @throws TypeError if an option is invalid */
export function checkPruneOptions(options: PruneOptions): { olderThan: Date; state: 'completed' | 'dead' } {
  assertOptions(options, ['olderThan', 'state'])
  const { olderThan, state = 'completed' } = options
  if (!(olderThan instanceof Date) || Number.isNaN(olderThan.getTime())) {
    throw new TypeError(
      '"olderThan" option must be a valid Date, as in new Date(Date.now() - 7 * 86_400_000)',
    )
  }
  if (state !== 'completed' && state !== 'dead') {
    throw new TypeError('"state" option must be completed or dead; unfinished entries are never pruned')
  }
  return { olderThan, state }
}

/** @throws TypeError if the id is not a non-empty string */
export function checkId(name: string, id: string): string {
  if (typeof id === 'string' && id !== '') return id
  throw new TypeError(`"${name}" must be the id of an entry, as list() returns it`)
}

function checkReplayOptions(options: ReplayOptions): void {
  assertOptions(options, ['kind'])
  if (!('kind' in options) || options.kind === null || typeof options.kind === 'string') return
  // { kind: undefined } may come from an unset variable, and must not replay everything.
  throw new TypeError(
    '"kind" option must be a string, or null for bodies that cannot be parsed; omit it to replay all',
  )
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
  engine: Pick<InboxEngine, 'counts' | 'list' | 'replayDead' | 'replayAllDead'>,
  options: ReplayOptions = {},
): Promise<number> {
  checkReplayOptions(options)
  const { kind } = options
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
    if (engine.replayAllDead !== undefined) {
      replayed += await engine.replayAllDead([...found])
      continue
    }
    for (const id of found) {
      // Another process may have replayed or pruned the same entry.
      if (await engine.replayDead(id)) replayed += 1
    }
  }
  return replayed
}
