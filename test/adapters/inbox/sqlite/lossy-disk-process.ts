// A process that puts and handles notifications on a failing disk (lossy-disk.c), and ends like in a power cut.
// It writes the result of each put to standard output. Its arguments: the file, the number of puts, the bytes
// of each, and after how many rejections another connection, which reads from the start, stops reading.

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
const count = { stored: 0, rejected: 0 }
await inbox.start({ handle: async () => {}, dead: async () => {}, failed() {} })
for (let id = 0; id < puts; id++) {
  if (count.rejected === readUntil && reader.isOpen) reader.close()
  const notification = signedFrom(Buffer.from(JSON.stringify({ id, text: 'x'.repeat(bytes) })))
  const result = await inbox.put(notification).catch(() => 'rejected' as const)
  if (result !== 'duplicate') count[result] += 1
  writeSync(1, `${result} ${notification.signature}\n`)
  // The result is in the log without a sync, before the next put.
  await waitFor(async () => (await inbox.counts()).completed === count.stored)
}
process.kill(process.pid, 'SIGKILL')
