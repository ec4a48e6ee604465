import { InboxError, isPayhookError } from '../errors.ts'
import { assertOptions, withinRange } from '../option-checks.ts'
import { readEnvelope } from '../read-envelope.ts'
import type { Inbox, InboxState, ListOptions, PruneOptions, ReplayOptions } from './inbox.ts'

const STATES: readonly InboxState[] = ['waiting', 'active', 'completed', 'dead']
const PAGE = 100

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

export function entryNotFound(id: string): InboxError {
  return new InboxError('entry_not_found', `There is no entry ${JSON.stringify(id)} in the inbox.`)
}

export function entryActive(id: string): InboxError {
  return new InboxError(
    'entry_active',
    `The entry ${JSON.stringify(id)} is being handled; replay it afterwards.`,
  )
}

/** Replays what is dead, page after page, so that memory does not grow with their number. */
export async function replayDead(
  inbox: Pick<Inbox, 'counts' | 'list' | 'replay'>,
  options: ReplayOptions = {},
): Promise<number> {
  assertOptions(options, ['kind'])
  const { kind } = options
  let replayed = 0
  let after: string | undefined
  // Counted at the start: what dies again meanwhile must not keep this going for ever.
  let left = (await inbox.counts()).dead
  while (left > 0) {
    const page = await inbox.list({ state: 'dead', limit: Math.min(PAGE, left), after })
    if (page.length === 0) break
    left -= page.length
    for (const entry of page) {
      // The next page starts after what stays dead, as the replayed are no longer in the list.
      if (kind !== undefined && entry.kind !== kind) after = entry.id
      else if (await replayUnlessGone(inbox, entry.id)) replayed += 1
    }
  }
  return replayed
}

/** Another process may have replayed, or pruned, the same entry. */
async function replayUnlessGone(inbox: Pick<Inbox, 'replay'>, id: string): Promise<boolean> {
  try {
    await inbox.replay(id)
    return true
  } catch (error) {
    if (isPayhookError(error) && (error.code === 'entry_not_found' || error.code === 'entry_active'))
      return false
    throw error
  }
}
