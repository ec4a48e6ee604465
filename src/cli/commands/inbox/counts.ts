import type { Command } from 'commander'
import { addInboxCommand } from '../../open-inbox.ts'
import { paint, printJson, printText } from '../../output.ts'
import { toTable } from '../../table.ts'

export function addCounts(inbox: Command): void {
  addInboxCommand(inbox, 'counts', {
    description: 'Print how many entries are waiting, active, completed and dead.',
    examples: ['payhook inbox counts sqlite:inbox.db', 'payhook inbox counts env:DATABASE_URL --json'],
    async run(opened, { json }: { json?: true }) {
      const counts = await opened.counts()
      // The four numbers alone: scripts compare this object as a whole.
      if (json) return printJson(counts)
      const { waiting, active, completed, dead } = counts
      const rows = Object.entries({ waiting, active, completed }).map(([state, count]) => [state, `${count}`])
      printText(toTable([...rows, ['dead', paint(dead > 0 ? 'red' : 'none', `${dead}`)]]))
    },
  })
}
