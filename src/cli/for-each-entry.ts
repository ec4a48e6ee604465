import type { Inbox } from '../inbox/inbox.ts'
import { withInbox } from './open-inbox.ts'
import { print } from './output.ts'

/** Does something with entries in turn, and prints how many it was, even if it fails for one of them. */
export async function forEachEntry(
  url: string,
  ids: readonly string[],
  done: 'replayed' | 'deleted',
  act: (inbox: Inbox, id: string) => Promise<void>,
): Promise<void> {
  let count = 0
  try {
    await withInbox(url, async (inbox) => {
      for (const id of ids) {
        await act(inbox, id)
        count += 1
      }
    })
  } finally {
    if (count > 0) print({ [done]: count }, () => `${count} ${done}`)
  }
}
