import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { InboxCounts } from '../../../inbox/inbox.ts'
import { untilInterrupted } from '../../interruption.ts'
import { addInboxCommand, withInbox } from '../../open-inbox.ts'
import { timeOption } from '../../option-values.ts'
import { paint, print, printJson, printText, type Text } from '../../output.ts'
import { toTable } from '../../table.ts'

/** Adds `inbox counts` and `inbox watch`. */
export function addCounts(inbox: Command): void {
  addInboxCommand(inbox, 'counts', {
    description: 'Print how many entries are waiting, active, completed and dead.',
    examples: ['payhook inbox counts sqlite:inbox.db', 'payhook inbox counts env:DATABASE_URL --json'],
  }).action(async (url: string, { json }: { json?: true }) => {
    const counts = await withInbox(url, (opened) => opened.counts())
    // The four numbers alone: scripts compare this object as a whole.
    if (json) return printJson(counts)
    const { waiting, active, completed, dead } = counts
    const rows = Object.entries({ waiting, active, completed }).map(([state, count]) => [state, `${count}`])
    printText(toTable([...rows, ['dead', paint(dead > 0 ? 'red' : 'none', `${dead}`)]]))
  })
  addInboxCommand(inbox, 'watch', {
    description: 'Print the counts whenever they change. Until Ctrl-C.',
    examples: ['payhook inbox watch sqlite:inbox.db', 'payhook inbox watch env:REDIS_URL --json'],
  })
    .addOption(timeOption('--interval <time>', 'how often to check', '1s'))
    .action((url: string, { interval }: { interval: number }) =>
      untilInterrupted((signal) => watch(url, interval, signal)),
    )
}

async function watch(url: string, interval: number, signal: AbortSignal): Promise<void> {
  await withInbox(url, async (inbox) => {
    let shown = ''
    while (!signal.aborted) {
      const counts = await inbox.counts()
      const text = JSON.stringify(counts)
      if (text !== shown) print({ time: new Date().toISOString(), ...counts }, toLine)
      shown = text
      await delay(interval, undefined, { signal }).catch(() => {})
    }
  })
}

function toLine({ time, waiting, active, completed, dead }: InboxCounts & { time: string }): Text {
  const counts = Object.entries({ waiting, active, completed }).map(
    ([name, count]) => `${name} ${`${count}`.padEnd(7)}`,
  )
  return [[time.slice(11, 23), ...counts, ''].join('  '), paint(dead > 0 ? 'red' : 'none', `dead ${dead}`)]
}
