import type { Command } from 'commander'
import { addGroup } from '../../command.ts'
import { addCounts } from './counts.ts'
import { addEntries } from './entries.ts'
import { addHealth } from './health.ts'
import { addMove } from './move.ts'
import { addReconcile } from './reconcile.ts'
import { addReplay } from './replay.ts'

export function addInbox(program: Command): void {
  const description = 'Read and repair an inbox, even while the application is using it.'
  const inbox = addGroup(program, 'inbox', description)
  for (const add of [addCounts, addHealth, addEntries, addReplay, addMove, addReconcile]) add(inbox)
}
