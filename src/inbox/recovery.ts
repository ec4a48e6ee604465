import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ErrorCode, InboxError } from '../errors.ts'
import { readEnvelope } from '../events/read-envelope.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { assertOptions, withinRange } from '../option-checks.ts'
import type { InboxState, ListOptions, PruneOptions, ReplayOptions } from './inbox.ts'
import type { InboxEngine } from './inbox-engine.ts'

const STATES: readonly InboxState[] = ['waiting', 'active', 'completed', 'dead']
const PAGE = 100
/** The most bytes of bodies in a page, unless a single body is larger. */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024
/** How many ids of dead entries are held in memory: about a megabyte. */
const FOUND_AT_ONCE = 10_000
/** How often listing may start over because others change the list. */
const MAX_RESTARTS = 100

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
  if (!STATES.includes(state)) throw new TypeError(`"state" option must be one of ${STATES.join(', ')}`)
  if (after !== undefined) checkId('after', after)
  return { state, limit: withinRange('limit', limit, PAGE, 1, 1_000), after }
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
    `The entry ${JSON.stringify(id)} is being handled; replay it afterwards.`,
  )
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
  const find = createDeadFinder(engine, options.kind)
  let replayed = 0
  // Counted once, as entries that die again meanwhile would make this loop endless.
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
      // Another process may have replayed or pruned the same entry.
      if (await engine.replayDead(id)) replayed += 1
    }
  }
  return replayed
}

/** Creates a function that returns the next batch of ids, which is empty at the end. */
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
        // A synchronous engine must not block the event loop.
        await nextTurn()
      } catch (error) {
        // Some engines cannot continue after an entry that has left the list. The ids found so far are kept.
        if (!hasCode(error, 'entry_not_found') || restarts++ === MAX_RESTARTS) throw error
        after = undefined
      }
    }
    return found
  }
}

function hasCode(error: unknown, code: ErrorCode): boolean {
  return isPayhookError(error) && error.code === code
}
