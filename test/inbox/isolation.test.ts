import { expect, it, onTestFinished, vi } from 'vitest'
import { createIsolation } from '../../src/inbox/isolation.ts'

const never = () => new Promise<never>(() => {})

it('begins a second late, ends with the suspect, then gives the others as much time', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(4_000)
  onTestFinished(() => clock.mockRestore())
  const isolation = createIsolation()
  expect(isolation.mayBegin()).toBe(false)
  clock.mockReturnValue(5_000)
  expect(isolation.mayBegin()).toBe(true)
  const run = isolation.run(Promise.resolve(), async () => clock.mockReturnValue(5_100))
  expect(isolation.isActive()).toBe(true)
  expect(isolation.mayBegin()).toBe(false)
  await run
  expect(isolation.isActive()).toBe(false)
  clock.mockReturnValue(5_199)
  expect(isolation.mayBegin()).toBe(false)
  clock.mockReturnValue(5_200)
  expect(isolation.mayBegin()).toBe(true)
})

it('stops waiting for a hanging handler after the limit', async () => {
  const isolation = createIsolation(20)
  const handed = Promise.withResolvers<void>()
  const run = isolation.run(never(), () => {
    handed.resolve()
    return never()
  })
  await handed.promise
  expect(isolation.isActive()).toBe(true)
  await run
  expect(isolation.isActive()).toBe(false)
})

it('ends if the suspect cannot be leased', async () => {
  const isolation = createIsolation()
  await isolation.run(Promise.resolve(), () => Promise.reject(new Error('down')))
  expect(isolation.isActive()).toBe(false)
})
