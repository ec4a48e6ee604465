import { expect, it } from 'vitest'
import { createHandlerRunner } from '../../src/inbox/handler-runner.ts'
import { RetryAfterError } from '../../src/index.ts'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { createSigned } from '../contracts/signed-notification.ts'

const delivery = (id: number) => ({
  ...createSigned(id),
  id: String(id),
  idempotencyKey: String(id),
  attempt: 1,
  retryDelayMs: 1_000,
})

it('finish() waits for all handlers before it aborts their signal', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const consumer = createConsumer(({ id }) => gates[Number(id) as 0 | 1].promise)
  const runner = createHandlerRunner(consumer, 60_000)
  const runs = [runner.run(delivery(0)), runner.run(delivery(1))]
  let written = false
  const finished = runner.finish(async () => {
    written = true
  })
  gates[0].resolve()
  expect(await runs[0]).toEqual({ result: 'completed' })
  await new Promise(setImmediate)
  expect(written).toBe(false)
  gates[1].resolve()
  await finished
  expect(await runs[1]).toEqual({ result: 'completed' })
  expect(consumer.deliveries.map(({ signal }) => signal.aborted)).toEqual([false, false])
})

// Stored as a time, the others would stop the worker, or the entry forever.
it.each([0.2, Number.NaN, Infinity, -1, 0, 86_400_001, undefined])('"not yet" for %s ms', async (afterMs) => {
  const error = Object.assign(new RetryAfterError('no order yet', { afterMs: 1 }), { afterMs })
  const runner = createHandlerRunner(
    createConsumer(() => Promise.reject(error)),
    1,
  )
  const deferred = { result: 'deferred', afterMs: 1 }
  expect(await runner.run(delivery(0))).toMatchObject(afterMs === 0.2 ? deferred : { result: 'failed' })
})
