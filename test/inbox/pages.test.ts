import { describe, expect, it, vi } from 'vitest'
import type { InboxEntry, InboxState } from '../../src/inbox/inbox.ts'
import { listAll, readPages } from '../../src/inbox/pages.ts'
import { InboxError } from '../../src/index.ts'

const entry = (id: string, state: InboxState) => ({ id, state }) as InboxEntry
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

  it('begins at the state of the entry that it continues after, if there is one', async () => {
    get.mockClear()
    await listAll(engine, 1, undefined)
    expect(get).not.toHaveBeenCalled()
    list.mockClear()
    await listAll(engine, 1, '3')
    expect(list.mock.calls).toEqual([
      ['waiting', 1, '3'],
      ['completed', 1, undefined],
    ])
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
