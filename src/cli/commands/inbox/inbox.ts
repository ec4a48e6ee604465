import type { Command } from 'commander'
import { addGroup } from '../../command.ts'
import { addCounts } from './counts.ts'
import { addDelete } from './delete.ts'
import { addEntries } from './entries.ts'
import { addForget } from './forget.ts'
import { addHealth } from './health.ts'
import { addMove } from './move.ts'
import { addPause } from './pause.ts'
import { addRecheck } from './recheck.ts'
import { addReconcile } from './reconcile.ts'
import { addReplay } from './replay.ts'
import { addSchema } from './schema.ts'

export function addInbox(program: Command): void {
  const description = 'Read and repair an inbox, even while the application is using it.'
  const inbox = addGroup(program, 'inbox', description)
  const commands = [
    ...[addCounts, addHealth, addEntries, addReplay, addDelete, addPause, addForget],
    ...[addMove, addReconcile, addRecheck, addSchema],
  ]
  for (const add of commands) add(inbox)
}
