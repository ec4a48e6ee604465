import { setImmediate as nextTurn } from 'node:timers/promises'
import { isPayhookError } from '../is-payhook-error.ts'
import { entryNotFound, STATES } from './entry-rules.ts'
import type { InboxEntry, InboxState } from './inbox.ts'
import type { InboxEngine } from './inbox-engine.ts'

/** The number of entries in a page, if nothing else is said. */
export const PAGE = 100

/** A page of entries in any state, one state after the other. */
export async function listAll(
  engine: Pick<InboxEngine, 'get' | 'list'>,
  limit: number,
  after: string | undefined,
): Promise<InboxEntry[]> {
  const last = after === undefined ? undefined : await engine.get(after)
  if (after !== undefined && last === undefined) throw entryNotFound(after)
  for (const state of STATES.slice(last && STATES.indexOf(last.state))) {
    const page = await engine.list(state, limit, state === last?.state ? after : undefined)
    if (page.length > 0) return page
  }
  return []
}

/** All entries in some states, read page by page. */
export async function* readEntries(
  list: InboxEngine['list'],
  states: readonly InboxState[],
): AsyncGenerator<InboxEntry, void, undefined> {
  for (const state of states) yield* readPages((limit, after) => list(state, limit, after))
}

/**
 * Entries read page by page. Some engines cannot continue after an entry that has left its state; then the one
 * before it is tried, and at last the first page.
 */
export async function* readPages(
  list: (limit: number, after: string | undefined) => Promise<readonly InboxEntry[]>,
): AsyncGenerator<InboxEntry, void, undefined> {
  let page: readonly InboxEntry[] = []
  let last = 0
  do {
    try {
      page = await list(PAGE, page[last]?.id)
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
