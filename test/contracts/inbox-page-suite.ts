import { describe, expect } from 'vitest'
import type { Inbox, InboxEntry, ListOptions } from '../../src/inbox/inbox.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createAbout, nameOf, signedFrom } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

const MB = 1024 * 1024

/** How large pages are, and what a loop over them finds. */
export function describePages(it: InboxTest): void {
  // Alone, as reading bodies of this size takes the event loop from others for seconds on a slow machine.
  describe('a page', { concurrent: false }, () => {
    it('has at most 16 MiB of bodies, or one entry', async ({ open }) => {
      const inbox = await open()
      for (const [id, size] of [10, 5, 1, 1, 20, 1].entries()) {
        await putLarge(inbox, Buffer.alloc(size * MB, `<${id}>`))
      }
      const sizes = await readByPages(inbox, { state: 'waiting' }, ({ rawBody }) => rawBody.length / MB)
      expect(sizes).toEqual([[10, 5, 1], [1], [20], [1], []])
    })

    it('of dead entries is read within one turn of the event loop', async ({ open }) => {
      const inbox = await open({ maxAttempts: 1 })
      for (let id = 0; id < 33; id++) await putLarge(inbox, Buffer.alloc(MB, `<${id}>`))
      await inbox.start(createConsumer(() => Promise.reject(new Error('down'))))
      await settled(inbox, { dead: 33 })
      let turns = 0
      const count = () => {
        turns += 1
        immediate = setImmediate(count)
      }
      let immediate = setImmediate(count)
      expect(await inbox.replayAll({ kind: 'NONE_OF_THEM' })).toBe(0)
      clearImmediate(immediate)
      expect(turns).toBeGreaterThanOrEqual(3)
    })
  })

  it('a loop replays each dead entry once, although they die again at once', async ({ open }) => {
    const inbox = await open({ maxAttempts: 1 })
    const names = Array.from({ length: 230 }, (_, index) => `${index}`)
    await Promise.all(names.map((name) => inbox.put(createAbout(`payment:${name}`, name))))
    await inbox.start(createConsumer(() => Promise.reject(new Error('down'))))
    await settled(inbox, { dead: names.length })
    const replayed: string[] = []
    for await (const entry of inbox.entries({ state: 'dead' })) {
      await inbox.replay(entry.id)
      replayed.push(nameOf(entry))
      if (replayed.length % 55 === 0) await settled(inbox, { dead: names.length })
    }
    expect(replayed.toSorted()).toEqual(names.toSorted())
  })
}

/** Tries again, as a busy engine may reject a body of this size. */
async function putLarge(inbox: Inbox, body: Buffer): Promise<void> {
  const notification = signedFrom(body)
  await waitFor(() => inbox.put(notification).catch(() => undefined))
}

/** What each page has, up to the empty one. */
export async function readByPages<Shown>(
  inbox: Inbox,
  options: ListOptions,
  show: (entry: InboxEntry) => Shown,
): Promise<Shown[][]> {
  const pages: Shown[][] = []
  let page: InboxEntry[] = []
  do {
    page = await inbox.list({ ...options, after: page.at(-1)?.id })
    pages.push(page.map(show))
  } while (page.length > 0)
  return pages
}
