// A process that puts notifications and handles them, on a disk that fails (lossy-disk.c), and ends as with a
// loss of power. What came of each put it writes to standard output. Its arguments: the file, how many to put,
// how many bytes each has, and after how many refusals another connection stops reading, which it did from the
// start.

import { writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createSqliteInbox } from '../../../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { signedFrom } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'

const [path = '', ...numbers] = process.argv.slice(2)
const [puts = 0, bytes = 0, readUntil = 0] = numbers.map(Number)
const inbox = createSqliteInbox({ path })
const reader = new DatabaseSync(path)
reader.exec('begin; select * from work')
const count = { stored: 0, refused: 0 }
await inbox.start({ handle: async () => {}, dead: async () => {}, failed() {} })
for (let id = 0; id < puts; id++) {
  if (count.refused === readUntil && reader.isOpen) reader.close()
  const notification = signedFrom(Buffer.from(JSON.stringify({ id, text: 'x'.repeat(bytes) })))
  const answer = await inbox.put(notification).catch(() => 'refused' as const)
  if (answer !== 'duplicate') count[answer] += 1
  writeSync(1, `${answer} ${notification.deliveryId}\n`)
  // What became of it stands in the log without a sync, ahead of the next put.
  await waitFor(async () => (await inbox.counts()).completed === count.stored)
}
process.kill(process.pid, 'SIGKILL')
