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

export async function* readEntries(
  list: InboxEngine['list'],
  states: readonly InboxState[],
  most: (state: InboxState) => Promise<number> = async () => Infinity,
): AsyncGenerator<InboxEntry, void, undefined> {
  for (const state of states) {
    let left = await most(state)
    for await (const entry of readPages((limit, after) => list(state, limit, after))) {
      if (left-- <= 0) break
      yield entry
    }
  }
}

type ListPage = (limit: number, after: string | undefined) => Promise<readonly InboxEntry[]>

/** Entries read page by page, each page before the caller can change what is in the one before. */
export async function* readPages(list: ListPage): AsyncGenerator<InboxEntry, void, undefined> {
  let page = await list(PAGE, undefined)
  while (page.length > 0) {
    const next = await readNext(list, page)
    yield* page
    // A synchronous engine must not block the event loop.
    await nextTurn()
    page = next
  }
}

/** Some engines cannot go on after an entry that has left its state: tries those before, then the start. */
async function readNext(list: ListPage, page: readonly InboxEntry[]): Promise<readonly InboxEntry[]> {
  for (const { id } of page.toReversed()) {
    try {
      return await list(PAGE, id)
    } catch (error) {
      if (!isPayhookError(error) || error.code !== 'entry_not_found') throw error
    }
  }
  return await list(PAGE, undefined)
}
