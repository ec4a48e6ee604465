import { expect, it, vi } from 'vitest'
import type { EngineHealth } from '../../src/inbox/health.ts'
import type { InboxEntry, InboxState, ReplayFilter, ReplayOptions } from '../../src/inbox/inbox.ts'
import type { Restart } from '../../src/inbox/inbox-engine.ts'
import { replayAll } from '../../src/inbox/replay-all.ts'
import { fakeEngine } from '../contracts/fake-engine.ts'

/** By the engine's clock. */
const NOW = 5_000_000_000

const entry = (id: number, fields: Partial<InboxEntry> = {}) =>
  ({
    id: `${id}`,
    state: 'dead',
    kind: 'A',
    error: 'Error: down',
    receivedAt: new Date(NOW - 10_000),
    ...fields,
  }) as InboxEntry

/** An engine with entries in any state, which are not changed. */
function withEntries(entries: readonly InboxEntry[]) {
  const restarted: (readonly Restart[])[] = []
  const engine = fakeEngine({
    health: async () => ({ now: NOW }) as EngineHealth,
    list: async (state: InboxState, limit, after) => {
      const inState = entries.filter((one) => one.state === state)
      return inState.slice(inState.findIndex(({ id }) => id === after) + 1).slice(0, limit)
    },
    restart: async (_state, some) => {
      restarted.push(some)
      return some.length
    },
  })
  return { engine, restarted, ids: () => restarted.flat().map(({ id }) => id) }
}

const at = (ms: number) => new Date(NOW + ms)
const entries = [
  entry(1, { finishedAt: at(-3_000), error: 'Error: connect ECONNREFUSED' }),
  entry(2, { finishedAt: at(-2_000), kind: 'B' }),
  entry(3, { finishedAt: at(-1_000), kind: null, error: null }),
  entry(4, { state: 'completed', finishedAt: at(-1_000), error: null }),
  entry(5, { state: 'waiting', finishedAt: null, dueAt: at(60_000) }),
  entry(6, { state: 'waiting', finishedAt: null, dueAt: at(-1) }),
  entry(7, { state: 'active', finishedAt: null }),
]

it.each<[ReplayFilter, string[]]>([
  [{ state: 'dead' }, ['1', '2', '3']],
  [{ kind: 'A' }, ['1']],
  [{ kind: null }, ['3']],
  [{ error: 'ECONNREFUSED' }, ['1']],
  [{ error: 'econnrefused' }, []],
  [{ since: at(-2_000) }, ['2', '3']],
  [{ until: at(-2_000) }, ['1']],
  [{ since: at(-2_000), until: at(-1_000) }, ['2']],
  [{ state: 'dead', kind: 'A', error: 'down' }, []],
  [{ state: 'completed' }, ['4']],
  // What is due need not be replayed.
  [{ state: 'waiting' }, ['5']],
  // It has not finished, so that it counts when it arrived.
  [{ state: 'waiting', since: at(-10_000) }, ['5']],
  [{ state: 'waiting', until: at(-10_000) }, []],
])('replays what matches %o', async (filter, ids) => {
  const found = withEntries(entries)
  expect(await replayAll(found.engine, filter, { dryRun: true })).toBe(ids.length)
  expect(found.restarted).toEqual([])
  expect(await replayAll(found.engine, filter)).toBe(ids.length)
  expect(found.ids()).toEqual(ids)
  expect(found.restarted.flat().every(({ dueAt }) => dueAt === undefined)).toBe(true)
})

it('finds what is about a subject by the index', async () => {
  const find = vi.fn().mockResolvedValueOnce([entries[0]]).mockResolvedValue([])
  const { engine, ids } = withEntries([])
  const indexed = fakeEngine({ health: engine.health, restart: engine.restart, find })
  expect(await replayAll(indexed, { subject: 'payment:1' })).toBe(1)
  expect(find.mock.calls[0]).toEqual(['payment:1', 'dead', 100, undefined])
  expect(ids()).toEqual(['1'])
})

it('works in batches, and tells of each', async () => {
  const { engine, restarted } = withEntries(Array.from({ length: 500 }, (_, id) => entry(id)))
  const onProgress = vi.fn()
  expect(await replayAll(engine, { state: 'dead' }, { onProgress })).toBe(500)
  expect(restarted.map(({ length }) => length)).toEqual([200, 200, 100])
  expect(onProgress.mock.calls).toEqual([200, 400, 500].map((count) => [{ checked: count, replayed: count }]))
})

it('rejects if onProgress does', async () => {
  const { engine } = withEntries([entry(1)])
  const failing = replayAll(
    engine,
    { state: 'dead' },
    { onProgress: () => Promise.reject(new Error('down')) },
  )
  await expect(failing).rejects.toThrow('down')
})

it.each([0.5, 3, 50, 10_000])(
  'spreads the due times at %d a second, also over batches',
  async (perSecond) => {
    const { engine, restarted } = withEntries(Array.from({ length: 2_100 }, (_, id) => entry(id)))
    await replayAll(engine, { state: 'dead' }, { perSecond })
    const times = restarted.flat().map(({ dueAt }) => Number(dueAt))
    expect(times[0]).toBeGreaterThan(NOW)
    const most = Math.max(1, Math.ceil(perSecond))
    for (let index = most; index < times.length; index++) {
      // No second has more of them, even if some are handled up to 50 ms late.
      expect((times[index] as number) - (times[index - most] as number)).toBeGreaterThanOrEqual(1_050)
    }
    const lastMs = ((times.length - 1) * 1_000) / perSecond
    expect((times.at(-1) as number) - (times[0] as number)).toBeGreaterThanOrEqual(Math.floor(lastMs))
  },
)

it.each<[unknown, unknown, string]>([
  [{}, undefined, "The filter is empty; for all dead entries it is { state: 'dead' }"],
  [undefined, undefined, 'replayAll(options): options must be an object'],
  [{ kind: undefined }, undefined, '"kind" option is undefined; omit it to replay all'],
  [{ state: 'dead', since: undefined }, undefined, '"since" option is undefined; omit it to replay all'],
  [{ kind: 5 }, undefined, '"kind" option must be a string or null'],
  [{ state: 'active' }, undefined, "\"state\" option must be 'dead' or 'completed' or 'waiting'"],
  [{ since: new Date('soon') }, undefined, '"since" option must be a valid Date'],
  [{ error: '' }, undefined, '"error" option must be a non-empty string'],
  [{ state: 'dead' }, { perSecond: 0 }, '"perSecond" option must be a number from 0.001 to 10,000'],
  [{ state: 'dead' }, { perSecond: Number.NaN }, '"perSecond" option must be a number from 0.001 to 10,000'],
])('rejects %o with %o', async (filter, options, message) => {
  await expect(replayAll(fakeEngine({}), filter as ReplayFilter, options as ReplayOptions)).rejects.toThrow(
    new TypeError(message),
  )
})
