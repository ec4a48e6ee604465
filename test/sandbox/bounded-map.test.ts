import { describe, expect, it } from 'vitest'
import { BoundedMap } from '../../src/sandbox/state/bounded-map.ts'

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
})
