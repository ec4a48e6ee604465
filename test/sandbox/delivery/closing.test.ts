import { expect, it, vi } from 'vitest'
import { Closing } from '../../../src/sandbox/delivery/closing.ts'

it('undoes at once what is added after the sandbox is closed, such as a check that was about to begin', () => {
  const closing = new Closing()
  const [before, removed, after] = [vi.fn(), vi.fn(), vi.fn()]
  closing.add(before)
  closing.add(removed)()
  closing.close()
  closing.add(after)
  expect([before, removed, after].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1])
})
