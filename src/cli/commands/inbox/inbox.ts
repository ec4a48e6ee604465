import type { Command } from 'commander'
import { addGroup } from '../../command.ts'
import { addCounts } from './counts.ts'
import { addDelete } from './delete.ts'
import { addList } from './list.ts'
import { addMove } from './move.ts'
import { addPrune } from './prune.ts'
import { addReplay } from './replay.ts'
import { addShow } from './show.ts'
import { addWatch } from './watch.ts'

export function addInbox(program: Command): void {
  const inbox = addGroup(
    program,
    'inbox',
    'Read and repair an inbox, even while the application is using it.',
  )
  for (const add of [addCounts, addList, addShow, addReplay, addDelete, addPrune, addMove, addWatch])
    add(inbox)
}
