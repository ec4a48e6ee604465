import type { Command } from 'commander'
import { addCounts } from './counts.ts'
import { addList } from './list.ts'
import { addMove } from './move.ts'
import { addPrune } from './prune.ts'
import { addReplay } from './replay.ts'
import { addShow } from './show.ts'
import { addWatch } from './watch.ts'

export function addInbox(program: Command): void {
  const inbox = program
    .command('inbox')
    .summary('read and repair an inbox')
    .description('Reads and repairs an inbox, even while the application is using it.')
  addCounts(inbox)
  addList(inbox)
  addShow(inbox)
  addReplay(inbox)
  addPrune(inbox)
  addMove(inbox)
  addWatch(inbox)
}
