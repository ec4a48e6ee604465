import { describe, expect, it } from 'vitest'
import { Closing } from '../../../src/sandbox/delivery/closing.ts'
import { PairSwapper } from '../../../src/sandbox/delivery/pair-swapper.ts'

const one = { name: 'one' }
const two = { name: 'two' }

function open() {
  const closing = new Closing()
  const swapper = new PairSwapper(closing)
  const turn = (notification: { name: string }) => swapper.wait('c', notification, notification.name)
  return { closing, turn }
}

/** Whether a promise resolves without a timer. */
async function isResolved(promise: Promise<unknown>): Promise<boolean> {
  let resolved = false
  void promise.then(() => {
    resolved = true
  })
  for (let turn = 0; turn < 20; turn++) await undefined
  return resolved
}

describe('swapper', () => {
  it('delay the first, with its copies, until the second has a response', async () => {
    const { turn } = open()
    const waiting = [turn(one), turn(one)]
    const answered = await turn(two)
    for (const each of waiting) expect(await isResolved(each)).toBe(false)
    answered()
    for (const each of waiting) expect(await isResolved(each)).toBe(true)
  })

  it('do not delay copies of the second', async () => {
    const { turn } = open()
    void turn(one)
    expect(await isResolved(turn(two))).toBe(true)
    expect(await isResolved(turn(two))).toBe(true)
  })

  it('stop waiting when the sandbox is closed', async () => {
    const { closing, turn } = open()
    const waiting = turn(one)
    closing.close()
    expect(await isResolved(waiting)).toBe(true)
    expect(await isResolved(turn(two))).toBe(true)
  })
})
