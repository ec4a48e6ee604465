import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ErrorCode, InboxError } from '../errors.ts'
import { readEnvelope } from '../events/read-envelope.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { assertOptions, withinRange } from '../option-checks.ts'
import type { InboxState, ListOptions, PruneOptions, ReplayOptions } from './inbox.ts'
import type { InboxEngine } from './inbox-engine.ts'

const STATES: readonly InboxState[] = ['waiting', 'active', 'completed', 'dead']
const PAGE = 100
/** How many bytes of bodies a page has at most, unless a single one has more. */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024
/** How many ids of the dead are held in memory: about a megabyte. */
const FOUND_AT_ONCE = 10_000
/** How often the list may be begun again, as others change it at the same time. */
const MOST_RESTARTS = 100

/** The kind that a stored body names, or `null` when it cannot be read. */
export function kindOf(rawBody: Uint8Array): string | null {
  try {
    return readEnvelope(rawBody).kind
  } catch {
    return null
  }
}

/** @throws TypeError for options that cannot be */
export function checkListOptions(options: ListOptions): {
  state: InboxState
  limit: number
  after: string | undefined
} {
  assertOptions(options, ['state', 'limit', 'after'])
  const { state, limit, after } = options
  if (!STATES.includes(state)) throw new TypeError(`"state" option must be one of ${STATES.join(', ')}`)
  if (after !== undefined) checkId('after', after)
  return { state, limit: withinRange('limit', limit, PAGE, 1, 1_000), after }
}

/** @throws TypeError for options that cannot be */
export function checkPruneOptions(options: PruneOptions): { olderThan: Date; state: 'completed' | 'dead' } {
  assertOptions(options, ['olderThan', 'state'])
  const { olderThan, state = 'completed' } = options
  if (!(olderThan instanceof Date) || Number.isNaN(olderThan.getTime())) {
    throw new TypeError(
      '"olderThan" option must be a valid Date, as in new Date(Date.now() - 7 * 86_400_000)',
    )
  }
  if (state !== 'completed' && state !== 'dead') {
    throw new TypeError('"state" option must be completed or dead; what is not finished is never pruned')
  }
  return { olderThan, state }
}

/** @throws TypeError unless it is a string that could be an id */
export function checkId(name: string, id: string): string {
  if (typeof id === 'string' && id !== '') return id
  throw new TypeError(`"${name}" must be the id of an entry, as list() gives it`)
}

function checkReplayOptions(options: ReplayOptions): void {
  assertOptions(options, ['kind'])
  if (!('kind' in options) || options.kind === null || typeof options.kind === 'string') return
  // Of an unset variable, say, which must not mean all.
  throw new TypeError('"kind" option must be a string, or null for what cannot be read; leave it out for all')
}

export function entryNotFound(id: string): InboxError {
  return new InboxError('entry_not_found', `There is no entry ${JSON.stringify(id)} in the inbox.`)
}

export function entryActive(id: string): InboxError {
  return new InboxError(
    'entry_active',
    `The entry ${JSON.stringify(id)} is being handled; replay it afterwards.`,
  )
}

/**
 * Replays what is dead: first finds so many, then replays them, so that neither does the list change under its
 * own hands, nor memory grow with their number.
 */
export async function replayDead(
  engine: Pick<InboxEngine, 'counts' | 'list' | 'replayDead' | 'replayAllDead'>,
  options: ReplayOptions = {},
): Promise<number> {
  checkReplayOptions(options)
  const find = createDeadFinder(engine, options.kind)
  let replayed = 0
  // Counted at the start: what dies again meanwhile must not keep this going for ever.
  let left = (await engine.counts()).dead
  while (left > 0) {
    const found = await find()
    if (found.size === 0) break
    left -= found.size
    if (engine.replayAllDead !== undefined) {
      replayed += await engine.replayAllDead([...found])
      continue
    }
    for (const id of found) {
      // Another process may have replayed, or pruned, the same entry.
      if (await engine.replayDead(id)) replayed += 1
    }
  }
  return replayed
}

/** Makes a function that finds the next so many of a kind, and none when there are no more. */
function createDeadFinder(
  engine: Pick<InboxEngine, 'list'>,
  kind: string | null | undefined,
): () => Promise<Set<string>> {
  let after: string | undefined
  let ended = false
  return async () => {
    const found = new Set<string>()
    let restarts = 0
    while (!ended && found.size < FOUND_AT_ONCE) {
      try {
        const page = await engine.list('dead', PAGE, after)
        for (const entry of page) if (kind === undefined || entry.kind === kind) found.add(entry.id)
        after = page.at(-1)?.id
        ended = page.length === 0
        // An engine that answers at once must not hold up everything else.
        await nextTurn()
      } catch (error) {
        // Some engines cannot list on after what has left the list. What was found stays found.
        if (!hasCode(error, 'entry_not_found') || restarts++ === MOST_RESTARTS) throw error
        after = undefined
      }
    }
    return found
  }
}

function hasCode(error: unknown, code: ErrorCode): boolean {
  return isPayhookError(error) && error.code === code
}
