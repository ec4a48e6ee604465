// A process that handles an inbox with the recipe for pg. Its arguments are the path of the inbox, the URL of the
// database, and `die` if it is to be killed after the first commit.

import pg from 'pg'
import { createSqliteInbox } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { createReceiver } from '../../src/index.ts'
import { createTransaction } from './recipes/pg.ts'

const [path = '', connectionString = '', mode] = process.argv.slice(2)
const inbox = createSqliteInbox({ path, retryDelayMs: 10 })
const transaction = createTransaction(new pg.Pool({ connectionString }))
const receiver = createReceiver({
  clientId: 'a',
  inbox,
  logger: { warn() {}, error() {} },
  async transaction(run) {
    const ran = await transaction(run)
    // The inbox has not stored yet that the notification is completed.
    if (mode === 'die') process.kill(process.pid, 'SIGKILL')
    return ran
  },
})
receiver.onAny((_event, { tx, attempt }) =>
  tx.query('insert into effects values ($1)', [`of attempt ${attempt}`]),
)
process.once('disconnect', () => process.exit(1))
await receiver.start()
