import { MAX_PAGE_BYTES } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'

/** How many jobs are read at once. Their sizes are not known before. */
const READ_AT_ONCE = 8

/**
 * Adds entries to a page, without those whose job is gone.
 *
 * @returns whether the page has as many bytes as a page may have
 */
export async function readJobs<Place>(
  page: InboxEntry[],
  places: readonly Place[],
  read: (place: Place) => Promise<InboxEntry | undefined>,
): Promise<boolean> {
  let bytes = page.reduce((sum, { rawBody }) => sum + rawBody.length, 0)
  for (let at = 0; at < places.length; at += READ_AT_ONCE) {
    for (const entry of await Promise.all(places.slice(at, at + READ_AT_ONCE).map(read))) {
      if (entry === undefined) continue
      bytes += entry.rawBody.length
      if (bytes > MAX_PAGE_BYTES && page.length > 0) return true
      page.push(entry)
    }
  }
  return false
}
