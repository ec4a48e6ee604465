// A child process of inbox-processes.ts: puts into a file that other processes use, too.
import { createSqliteInbox } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { putFor } from './put-load.ts'

export interface ProducePlan {
  readonly path: string
  /** Its index among the processes, from 0. */
  readonly at: number
}

const PRODUCERS = 50
const WARM_UP_MS = 300

const { path, at }: ProducePlan = JSON.parse(process.argv[2] ?? '')
const inbox = createSqliteInbox({ path })
const next = createNotificationSource(at * 10_000_000)
await putFor(inbox, PRODUCERS, WARM_UP_MS, next)
process.on('message', async (milliseconds: number) => {
  process.send?.(await putFor(inbox, PRODUCERS, milliseconds, next))
})
process.once('disconnect', () => inbox.close())
process.send?.('warm')
