import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { BoundedMap } from '../../src/sandbox/state/bounded-map.ts'
import { waitFor } from '../contracts/wait-for.ts'

describe('a bounded map', () => {
  it('drops only the oldest entries', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1).set('b', 2).set('b', 3)
    expect(Object.fromEntries(map)).toEqual({ a: 1, b: 3 })
    map.set('c', 4)
    expect(Object.fromEntries(map)).toEqual({ b: 3, c: 4 })
  })

  it('adds up sizes, also of values that are replaced, deleted or too large', () => {
    const map = new BoundedMap<string, string>(5, ({ length }) => length)
    map.set('a', '12').set('b', '12').set('a', '123')
    expect([...map.keys()]).toEqual(['b', 'a'])
    map.delete('b')
    map.set('c', '12')
    expect([...map.keys()]).toEqual(['a', 'c'])
    map.set('d', '123456')
    expect(map.size).toBe(0)
    map.set('e', '12345').clear()
    map.set('f', '12345')
    expect([...map.keys()]).toEqual(['f'])
  })

  it.each<[which: string, remove: (map: BoundedMap<number, object>, add: () => void) => void]>([
    [
      'was deleted while others came and went',
      (map, add) => {
        add()
        for (let key = 1; key < 1_000; key++) map.set(key, {}).delete(key - 10)
      },
    ],
    [
      'was cleared',
      (map, add) => {
        add()
        map.clear()
      },
    ],
    [
      'was cleared after others had been dropped',
      (map, add) => {
        for (let key = 1; key < 1_000; key++) map.set(key, {})
        add()
        map.clear()
      },
    ],
  ])('does not keep a value in memory that %s', async (_which, remove) => {
    const map = new BoundedMap<number, object>(100)
    let removed: WeakRef<object> | undefined
    remove(map, () => {
      const value = {}
      map.set(0, value)
      removed = new WeakRef(value)
    })
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    await waitFor(() => {
      collect()
      return removed?.deref() === undefined
    })
    // Used until here, so that it is not collected itself.
    expect(map.size).toBeLessThan(100)
  })
})
