import { expect, it } from 'vitest'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { createSigned } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { payhook, payhookJson } from './payhook.ts'
import { openSqlite } from './test-inboxes.ts'

it('payhook inbox pause pauses until the inbox is resumed', async () => {
  const { url, inbox } = await openSqlite()
  await inbox.put(createSigned(1))
  const reason = 'bad deploy'
  const paused = await payhookJson(['inbox', 'pause', url, '--reason', reason])
  const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
  expect(paused).toMatchObject({ code: 0, stdout: [{ version: 1, paused: { since, reason } }] })
  const again = await payhook(['inbox', 'pause', url, '--reason', 'still'])
  expect((await payhook(['inbox', 'pause', url, '--reason', ' '])).code).toBe(2)
  expect(again.stdout).toBe(`paused since ${paused.stdout[0].paused.since}: still\n`)
  const health = await payhook(['inbox', 'health', url])
  expect(health.code).toBe(1)
  expect(health.stdout).toMatch(/The inbox has been paused for \d+ seconds?: still\n/)

  const consumer = createConsumer()
  await inbox.start(consumer)
  expect(await payhook(['inbox', 'resume', url])).toEqual({ code: 0, stdout: 'resumed\n', stderr: '' })
  await waitFor(() => consumer.deliveries.length === 1)
  const resumed = await payhookJson(['inbox', 'resume', url])
  expect(resumed.stdout).toEqual([{ version: 1, wasPaused: false }])
  expect((await payhook(['inbox', 'resume', url])).stdout).toBe('It was not paused.\n')
})
