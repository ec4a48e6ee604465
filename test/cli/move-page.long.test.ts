import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { movePage } from '../../src/cli/commands/inbox/move.ts'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { Inbox, InboxEntry, InboxState } from '../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../src/inbox/inbox-engine.ts'
import { createEntry } from '../contracts/create-entry.ts'
import { describeWithService, POSTGRES, REDIS } from '../contracts/service.ts'
import { createSigned } from '../contracts/signed-notification.ts'
import { TEST_ENGINES, TEST_INBOXES } from './test-inboxes.ts'

const STATES: readonly InboxState[] = ['dead', 'completed', 'waiting']
const KILLS = ['before the import', 'during the import', 'before the removal', 'during the removal'] as const
type Kill = (typeof KILLS)[number]

/** An engine whose process is killed at some point of a move. */
function killed(engine: InboxEngine, kill: Kill): InboxEngine {
  const half = <Item>(items: readonly Item[]) => items.slice(0, items.length / 2)
  return {
    ...engine,
    async import(entries) {
      if (kill === 'during the import') await engine.import(half(entries))
      if (kill === 'before the removal') await engine.import(entries)
      throw new Error('killed')
    },
    async remove(ids) {
      await engine.remove(half(ids))
      throw new Error('killed')
    },
  }
}

async function move(from: Inbox, to: Inbox, kill?: Kill): Promise<void> {
  let [source, target] = [engineOf(from), engineOf(to)]
  if (kill === 'during the removal') source = killed(source, kill)
  else if (kill !== undefined) target = killed(target, kill)
  for (const state of STATES) {
    while ((await movePage(source, target, state)).found > 0);
  }
}

/** Two arrivals of each body, one entry in each state and one to be retried, then as often again. */
async function fill(inbox: Inbox): Promise<string[]> {
  const entries = Array.from({ length: 8 }, (_, index) => {
    const state = (['waiting', 'completed', 'dead', 'waiting'] as const)[index % 4] ?? 'waiting'
    const attempts = index % 4
    const id = crypto.randomUUID()
    const key = index % 3 > 0 && { concurrencyKey: index % 3 === 1 ? 'payee:7' : null }
    return createEntry(
      '',
      state,
      { ...createSigned(index % 4), ...key },
      {
        receivedAt: new Date(Date.UTC(2026, 0, 2) + index),
        id,
        idempotencyKey: id,
        attempts,
        error: state === 'completed' || attempts === 0 ? null : 'Error: down',
      },
    )
  })
  await engineOf(inbox).import(entries)
  return entries.map(comparable).sort()
}

function comparable({
  signature,
  receivedAt,
  subject,
  concurrencyKey,
  state,
  attempts,
  error,
}: InboxEntry): string {
  const keys = JSON.stringify([subject, concurrencyKey])
  return [receivedAt.toISOString(), signature.slice(0, 6), keys, state, attempts, error].join(' ')
}

async function read(inbox: Inbox): Promise<string[]> {
  return (await Array.fromAsync(inbox.entries(), comparable)).sort()
}

await describeWithService('three engines', [REDIS, POSTGRES], () => {
  it('loses and doubles nothing in random moves between three inboxes that are killed', async () => {
    const inboxes = await Promise.all(TEST_ENGINES.map((name) => TEST_INBOXES[name]().open()))
    const inbox = (index: number) => inboxes[index % 3] as Inbox
    const step = fc.record({
      from: fc.nat(2),
      to: fc.integer({ min: 1, max: 2 }),
      kill: fc.option(fc.constantFrom(...KILLS), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        for (const each of inboxes) for await (const { id } of each.entries()) await each.delete(id)
        const all = await fill(inbox(0))
        for (const { from, to, kill } of steps) {
          await move(inbox(from), inbox(from + to), kill).catch((error) =>
            expect(error.message).toBe('killed'),
          )
          const held = await Promise.all(inboxes.map(read))
          expect([...new Set(held.flat())].sort()).toEqual(all)
          for (const some of held) expect(new Set(some).size).toBe(some.length)
        }
        await move(inbox(0), inbox(2))
        await move(inbox(1), inbox(2))
        expect(await Promise.all(inboxes.map(read))).toEqual([[], [], all])
      }),
      { numRuns: 12 },
    )
  })
})

it('moves entries there and back, into a file that was deleted in between', async () => {
  const first = TEST_INBOXES.sqlite()
  const second = await TEST_INBOXES.sqlite().open()
  let inbox = await first.open()
  for (const id of [1, 2, 3]) await inbox.put(createSigned(id))
  const all = await read(inbox)
  for (let round = 0; round < 2; round++) {
    await move(inbox, second)
    await inbox.close()
    rmSync(first.url.slice('sqlite:'.length))
    inbox = await first.open()
    await move(second, inbox)
    expect([await read(inbox), await read(second)]).toEqual([all, []])
  }
})
