import type { Command } from 'commander'
import { addCounts } from './inbox-counts.ts'

export function addInbox(program: Command): void {
  const inbox = program.command('inbox').description('Reads and repairs an inbox, while others work with it.')
  addCounts(inbox)
}
