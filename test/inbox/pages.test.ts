import { describe, expect, it, vi } from 'vitest'
import type { InboxEntry, InboxState } from '../../src/inbox/inbox.ts'
import { movePage } from '../../src/inbox/move-page.ts'
import { listAll, readPages } from '../../src/inbox/pages.ts'
import { replayDead } from '../../src/inbox/replay-dead.ts'
import { InboxError } from '../../src/index.ts'
import { fakeEngine } from '../contracts/fake-engine.ts'

const entry = (id: string, state: InboxState, kind = 'A_KIND') =>
  ({ id, state, kind, idempotencyKey: `lasting-${id}:2` }) as InboxEntry
const gone = (id: string) => new InboxError('entry_not_found', id)

describe('a list of all states', () => {
  const entries = [entry('1', 'waiting'), entry('2', 'dead'), entry('3', 'waiting'), entry('4', 'completed')]
  const list = vi.fn(async (state: InboxState, limit: number, after: string | undefined) => {
    const inState = entries.filter((one) => one.state === state)
    return inState.slice(inState.findIndex(({ id }) => id === after) + 1).slice(0, limit)
  })
  const get = vi.fn(async (id: string) => entries.find((one) => one.id === id))
  const engine = { list, get }

  it.each([
    [undefined, ['2']],
    ['2', ['1']],
    ['1', ['3']],
    ['3', ['4']],
    ['4', []],
  ])('after %s has %j', async (after, ids) => {
    expect((await listAll(engine, 1, after)).map(({ id }) => id)).toEqual(ids)
  })

  it('begins at the state of the entry that it continues after', async () => {
    list.mockClear()
    await listAll(engine, 1, '3')
    expect(list.mock.calls).toEqual([
      ['waiting', 1, '3'],
      ['completed', 1, undefined],
    ])
  })

  it('looks for no entry at its beginning', async () => {
    get.mockClear()
    await listAll(engine, 1, undefined)
    expect(get).not.toHaveBeenCalled()
  })

  it('cannot continue after an entry that is gone', async () => {
    await expect(listAll(engine, 1, '5')).rejects.toMatchObject({ code: 'entry_not_found' })
  })
})

describe('pages', () => {
  async function read(
    list: (after: string | undefined) => Promise<readonly InboxEntry[]>,
  ): Promise<string[]> {
    const ids: string[] = []
    for await (const { id } of readPages((_limit, after) => list(after))) ids.push(id)
    return ids
  }

  it('continue after the last entry that is still there', async () => {
    const asked: unknown[] = []
    const first = ['1', '2', '3'].map((id) => entry(id, 'waiting'))
    const ids = await read(async (after) => {
      asked.push(after)
      if (asked.length === 1) return first
      if (after === '3' || after === '2') throw gone(after)
      return after === '1' ? [entry('4', 'waiting')] : []
    })
    expect(ids).toEqual(['1', '2', '3', '4'])
    expect(asked).toEqual([undefined, '3', '2', '1', '4'])
  })

  it('begin again if no entry of a page is still there', async () => {
    const asked: unknown[] = []
    await read(async (after) => {
      asked.push(after)
      if (after !== undefined) throw gone(after)
      return asked.length === 1 ? [entry('1', 'waiting')] : []
    })
    expect(asked).toEqual([undefined, '1', undefined])
  })

  it.each([
    new InboxError('inbox_unavailable', 'down'),
    new Error('down'),
    Object.assign(new Error(), { code: 'entry_not_found' }),
  ])('end with any other error: %o', async (error) => {
    const list = vi
      .fn()
      .mockResolvedValueOnce([entry('1', 'waiting')])
      .mockRejectedValue(error)
    await expect(read(list)).rejects.toBe(error)
    expect(list).toHaveBeenCalledTimes(2)
  })

  it('end if not even the first page can be read again', async () => {
    const list = vi
      .fn()
      .mockResolvedValueOnce([entry('1', 'waiting')])
      .mockRejectedValue(gone('1'))
    await expect(read(list)).rejects.toMatchObject({ code: 'entry_not_found' })
    expect(list.mock.calls).toEqual([[undefined], ['1'], [undefined]])
  })
})

describe('a page is moved', () => {
  it('with the lasting ids, and then removed', async () => {
    const calls: unknown[] = []
    const source = fakeEngine({
      list: async (...page) => {
        calls.push(page)
        return [entry('1', 'dead'), entry('2', 'dead')]
      },
      remove: async (ids) => {
        calls.push(ids)
        return 1
      },
    })
    const target = fakeEngine({ import: async (entries) => void calls.push(entries) })
    expect(await movePage(source, target, 'dead')).toEqual({ found: 2, moved: 1 })
    expect(calls).toEqual([
      ['dead', 200, undefined],
      [
        { ...entry('1', 'dead'), id: 'lasting-1' },
        { ...entry('2', 'dead'), id: 'lasting-2' },
      ],
      ['1', '2'],
    ])
  })

  it('if it has entries', async () => {
    const source = fakeEngine({ list: async () => [] })
    expect(await movePage(source, fakeEngine({}), 'dead')).toEqual({ found: 0, moved: 0 })
  })
})

describe('dead entries are replayed', () => {
  /** An engine with dead entries, of two kinds in turn. */
  function withDead(count: number) {
    const dead = Array.from({ length: count }, (_, index) => entry(`${index}`, 'dead', `KIND_${index % 2}`))
    const replayed: string[][] = []
    const engine = fakeEngine({
      counts: async () => ({ waiting: 0, active: 0, completed: 0, dead: count }),
      list: async (_state, limit, after) => {
        const begin = after === undefined ? 0 : Number(after) + 1
        return dead.slice(begin, begin + limit)
      },
      replayDead: async (ids) => {
        replayed.push([...ids])
        return ids.length
      },
    })
    return { engine, replayed }
  }

  it.each([
    [undefined, 4],
    [{}, 4],
    [{ kind: 'KIND_1' }, 2],
    [{ kind: 'KIND_2' }, 0],
  ])('with the options %j', async (options, count) => {
    const { engine, replayed } = withDead(4)
    expect(await replayDead(engine, options)).toBe(count)
    expect(replayed.flat()).toHaveLength(count)
    expect(replayed).toHaveLength(Math.min(count, 1))
  })

  it('in batches', async () => {
    const { engine, replayed } = withDead(25_000)
    expect(await replayDead(engine)).toBe(25_000)
    expect(replayed.map(({ length }) => length)).toEqual([10_000, 10_000, 5_000])
  })

  it('as many as there were, although others die meanwhile', async () => {
    const { engine, replayed } = withDead(30_000)
    const counts = async () => ({ waiting: 0, active: 0, completed: 0, dead: 20_000 })
    expect(await replayDead({ ...engine, list: engine.list, replayDead: engine.replayDead, counts })).toBe(
      20_000,
    )
    expect(replayed).toHaveLength(2)
  })

  it('also those of a body that has no kind', async () => {
    const dead = { ...entry('1', 'dead'), kind: null }
    const list = vi.fn().mockResolvedValueOnce([dead]).mockResolvedValue([])
    const counts = async () => ({ waiting: 0, active: 0, completed: 0, dead: 1 })
    const engine = fakeEngine({ list, counts, replayDead: async (ids) => ids.length })
    expect(await replayDead(engine, { kind: null })).toBe(1)
  })

  it.each<[object, string]>([
    [{ kind: undefined }, '"kind" option is undefined; omit it to replay all'],
    [{ kind: 5 }, '"kind" option must be a string or null'],
  ])('not with the options %o', async (options, message) => {
    await expect(replayDead(fakeEngine({}), options)).rejects.toThrow(new TypeError(message))
  })
})
