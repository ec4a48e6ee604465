import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { connected } from '../contracts/inbox-store.ts'
import { type InboxPlace, openInbox } from '../contracts/open-inbox.ts'
import { createSigned } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import type { createPostgres } from './recipe-databases.ts'

type Database = Pick<Awaited<ReturnType<typeof createPostgres>>, 'url' | 'committed'>

/**
 * Kills a worker after its commit, before the inbox knows of it. The next one must not have the effect again.
 */
export async function expectOneEffect(place: InboxPlace, database: Database): Promise<void> {
  const inbox = await openInbox(place)
  await connected(inbox)
  function startWorker(...mode: 'die'[]) {
    const process = new URL('./crash-process.ts', import.meta.url)
    const worker = fork(process, [JSON.stringify(place), database.url, ...mode], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    return { worker, gone: once(worker, 'exit') }
  }

  await inbox.put(createSigned('1'))
  expect(await startWorker('die').gone).toEqual([null, 'SIGKILL'])
  const first = await database.committed()
  expect(first.effects).toEqual(['of attempt 1'])

  const { worker, gone } = startWorker()
  const entry = await waitFor(async () => (await inbox.list({ state: 'completed' }))[0])
  expect(entry).toMatchObject({ attempts: 2, idempotencyKey: first.receipts[0] })
  expect(await database.committed()).toEqual(first)
  worker.kill()
  await gone
  await inbox.close()
}
