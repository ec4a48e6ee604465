import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createIsolation } from '../../src/inbox/isolation.ts'
import { waitFor } from '../contracts/wait-for.ts'

const never = () => new Promise<never>(() => {})

it('ends with the suspect, then gives the others as much time', async () => {
  const isolation = createIsolation()
  expect(isolation.mayBegin()).toBe(true)
  const run = isolation.run(Promise.resolve(), () => delay(100))
  expect(isolation.isActive()).toBe(true)
  expect(isolation.mayBegin()).toBe(false)
  await run
  const ended = performance.now()
  expect(isolation.isActive()).toBe(false)
  await waitFor(() => isolation.mayBegin())
  expect(performance.now() - ended).toBeGreaterThan(90)
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
