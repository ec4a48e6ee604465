import { fromIdempotencyKey } from './entry-ids.ts'
import type { InboxEntry, InboxState } from './inbox.ts'
import type { InboxEngine } from './inbox-engine.ts'

const PAGE = 200

/**
 * Moves the first entries in a state to another inbox. If it is interrupted, an entry may be in both, never in
 * neither; moving it again, in either direction, removes it from where it is moved from.
 *
 * @returns how many entries were found, and how many of them have left the source
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
