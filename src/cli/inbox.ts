import type { Command } from 'commander'
import { addCounts } from './inbox-counts.ts'
import { addList } from './inbox-list.ts'
import { addMove } from './inbox-move.ts'
import { addPrune } from './inbox-prune.ts'
import { addReplay } from './inbox-replay.ts'
import { addShow } from './inbox-show.ts'
import { addWatch } from './inbox-watch.ts'

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
