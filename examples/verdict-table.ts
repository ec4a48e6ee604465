import { styleText } from 'node:util'
import type { InboxCounts } from '../adapters/inbox/sqlite.ts'
import type { Delivery } from './fixture-delivery.ts'

const COLUMNS = [
  ['verdict', 34],
  ['kind', 39],
  ['id', 19],
  ['status', 10],
  ['amount', 24],
  ['fixture', 0],
] as const

export function formatHeader(): string {
  return styleText('bold', toLine(COLUMNS.map(([title]) => title)))
}

export function formatRow({ name, kind, id, status, amount, answer, verdict, asExpected }: Delivery): string {
  const line = toLine([`${answer} ${verdict}`, kind, id ?? '', status ?? '', amount ?? '', name])
  const color = verdict === 'handled' ? 'green' : verdict === 'unrecognized' ? 'yellow' : 'red'
  return styleText(color, asExpected ? line : `${line}  <- not as expected`)
}

export function formatSummary(deliveries: readonly Delivery[]): string {
  const count = (test: (delivery: Delivery) => boolean) => deliveries.filter(test).length
  const handled = count(({ verdict }) => verdict === 'handled')
  const unrecognized = count(({ verdict }) => verdict === 'unrecognized')
  const dead = count(({ verdict }) => verdict.startsWith('dead'))
  const unexpected = count(({ asExpected }) => !asExpected)
  return [
    `${deliveries.length} delivered: ${handled} handled, ${unrecognized} handled but not recognised,`,
    `${dead} dead (verified, but no notification), ${deliveries.length - handled - unrecognized - dead} refused;`,
    unexpected === 0 ? 'every verdict as expected.' : `${unexpected} not as expected.`,
  ].join(' ')
}

export function formatInbox({ waiting, active, completed, dead }: InboxCounts): string {
  return `The inbox holds ${completed} completed, ${dead} dead, ${waiting} waiting, ${active} being handled.`
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
