import type { Command } from 'commander'
import type { InboxHealth } from '../../../inbox/health.ts'
import { addInboxCommand } from '../../open-inbox.ts'
import { timeOption } from '../../option-values.ts'
import { paint, print, printJson, printText, type Text } from '../../output.ts'
import { toTable } from '../../table.ts'

const COLORS = { pass: 'green', warn: 'yellow', fail: 'red' } as const
const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 }

export function addHealth(inbox: Command): void {
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
  addInboxCommand(inbox, 'health', {
    description:
      'Print how the inbox is doing. Exits with 1 if somebody should look: an engine that is unreachable, dead entries, or what the options say.',
    examples: [
      'payhook inbox health sqlite:inbox.db --lag 1m',
      'payhook inbox health env:DATABASE_URL --lag 5m --silence 1d --json',
    ],
    async run(opened, { lag, silence }: { lag?: number; silence?: number }) {
      const health = await opened.health({ lagMs: lag, silenceMs: silence })
      print(health, toText)
      if (health.status !== 'pass') process.exitCode = 1
      // Health has only the code of an error. Whoever has the URL of the inbox may read its message, too.
      if (health.problems.some(({ message }) => message.includes('(inbox_'))) await opened.counts()
    },
  })
    .addOption(timeOption('--lag <time>', 'how long a notification may be due or be handled'))
    .addOption(timeOption('--silence <time>', 'the longest time without a new notification'))
}

function toText({ status, waiting, active, dead, lastStoredAt, problems }: InboxHealth): Text {
  const oldest = (ageMs: number | null) => (ageMs === null ? '' : `, the oldest for ${toAge(ageMs)}`)
  const entry = active.entryId === null ? '' : `: ${[active.entryId, active.subject ?? []].flat().join(', ')}`
  const rows = [
    ['status', paint(COLORS[status], status)],
    ['waiting', `${waiting.count}${oldest(waiting.oldestAgeMs)}`],
    ['active', `${active.count}${oldest(active.oldestAgeMs)}${entry}`],
    ['dead', `${dead.count}`],
    ['last stored', lastStoredAt?.toISOString() ?? 'never'],
  ]
  const table = toTable(status === 'fail' ? rows.slice(0, 1) : rows)
  return [...table, ...problems.map(({ message }) => `\n${message}`)]
}

/** An age as times are typed. */
function toAge(ms: number): string {
  const [unit, size] = Object.entries(UNITS).find(([, least]) => ms >= least) ?? ['s', UNITS.s]
  return `${Math.floor(ms / size)}${unit}`
}
