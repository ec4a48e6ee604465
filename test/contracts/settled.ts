import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Inbox, InboxState } from '../../src/inbox/inbox.ts'
import { waitFor } from './wait-for.ts'

/** Waits until the inbox has exactly these counts. */
export async function settled(inbox: Inbox | undefined, counts: Partial<Record<InboxState, number>>) {
  const expected = { waiting: 0, active: 0, completed: 0, dead: 0, ...counts }
  let last: unknown
  try {
    await waitFor(async () => {
      // A busy machine may keep an engine waiting for too long.
      last = await inbox?.counts().catch((error: unknown) => error)
      return isDeepStrictEqual(last, expected)
    })
  } catch {
    expect(last).toEqual(expected)
  }
}
