import type { InboxCounts } from '../src/index.ts'
import type { Row } from './scenes.ts'

const COLUMNS = [
  ['scenario', 17],
  ['event', 39],
  ['id', 19],
  ['status', 11],
  ['amount', 12],
  ['responses', 21],
  ['result', 0],
] as const

/** A line with the color that it has on a terminal. */
export interface Line {
  readonly color: 'bold' | 'red' | 'green' | 'yellow'
  readonly text: string
}

export function formatHeader(): Line {
  return { color: 'bold', text: toLine(COLUMNS.map(([title]) => title)) }
}

export function formatRow(row: Row): Line {
  const { scene, kind, id = '', status = '', amount = '', responses, asExpected } = row
  const text = toLine([scene, kind, id, status, amount, toStatuses(responses), toVerdict(row)])
  if (!asExpected) return { color: 'red', text: `${text}  <- not as expected` }
  return { color: row.timesHandled > 0 ? 'green' : 'yellow', text }
}

export function formatSummary(rows: readonly Row[]): string {
  const sent = rows.reduce((sum, { responses }) => sum + responses.length, 0)
  const handled = rows.filter(({ timesHandled }) => timesHandled === 1).length
  const unexpected = rows.filter(({ asExpected }) => !asExpected).length
  return [
    `${rows.length} notifications in ${sent} requests: ${handled} handled exactly once,`,
    `${rows.length - handled} forged, truncated or dropped.`,
    unexpected === 0 ? 'All as expected.' : `${unexpected} not as expected.`,
  ].join(' ')
}

export function formatInbox({ waiting, active, completed, dead }: InboxCounts): string {
  return `Inbox: ${completed} completed, ${dead} dead, ${waiting} waiting, ${active} active.`
}

function toVerdict({ scene, timesHandled, timesWritten, handledMs, copies, responses }: Row): string {
  if (scene === 'at once' && handledMs) return `handled from ${handledMs[0]} to ${handledMs[1]} ms`
  if (scene === 'crash') return `crashed after the commit, written ${timesWritten}x`
  if (timesHandled > 0) return copies > 1 ? `handled ${timesHandled}x of ${copies}` : 'handled'
  return responses.length === 0 ? 'not notified' : 'rejected'
}

/** For example `401 401 401`; without the texts of errors. */
function toStatuses(responses: readonly string[]): string {
  return responses.map((response) => (/^\d+$/.test(response) ? response : 'error')).join(' ')
}

function toLine(cells: readonly string[]): string {
  return cells
    .map((cell, index) => pad(cell, COLUMNS[index]?.[1] ?? 0))
    .join(' ')
    .trimEnd()
}

function pad(cell: string, width: number): string {
  if (width === 0) return cell
  return cell.length > width ? `${cell.slice(0, width - 1)}…` : cell.padEnd(width)
}
