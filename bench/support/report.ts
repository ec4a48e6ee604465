import { spawnSync } from 'node:child_process'
import { arch, availableParallelism, cpus, platform } from 'node:os'
import { flags } from './flags.ts'
import type { Summary } from './statistics.ts'

/** A table of the report. */
export interface Table<Row> {
  readonly title: string
  readonly columns: Readonly<Record<string, (row: Row) => string>>
  readonly rows: readonly Row[]
}

/** Prints the tables on standard output: Markdown, or the rows as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: each table has its own rows, which only its columns read.
export function printReport(tables: readonly Table<any>[]): void {
  console.log(flags.json ? toJson(tables) : toMarkdown(tables))
}

/** The middle half of the rounds. */
export function toRange({ low, high }: Summary, digits = 2): string {
  return `${low.toFixed(digits)} to ${high.toFixed(digits)}`
}

/** payhook's rows are bold. */
export function emphasize(name: string): string {
  return name.startsWith('payhook') ? `**${name}**` : name
}

function toJson(tables: readonly Table<unknown>[]): string {
  return JSON.stringify(
    { ...describeRun(), tables: tables.map(({ title, rows }) => ({ title, rows })) },
    null,
    2,
  )
}

function toMarkdown(tables: readonly Table<unknown>[]): string {
  const { machine, node, date, commit } = describeRun()
  const parts = tables.map((table) => `### ${table.title}\n\n${toMarkdownTable(table)}`)
  return [`${date}, commit ${commit}, Node ${node}, ${machine}.`, ...parts].join('\n\n')
}

/** The first column is text, the others are numbers. */
function toMarkdownTable({ columns, rows }: Table<unknown>): string {
  const headings = Object.keys(columns)
  const lines = rows.map((row) => Object.values(columns).map((text) => text(row)))
  const widths = headings.map((heading, at) =>
    Math.max(3, heading.length, ...lines.map((line) => line[at]?.length ?? 0)),
  )
  const write = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [write(headings), rule, ...lines.map(write)].join('\n')
}

function describeRun(): { machine: string; node: string; date: string; commit: string } {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' })
  return {
    machine: `${availableParallelism()} cores (${model}), ${platform()} ${arch()}`,
    node: process.versions.node,
    date: new Date().toISOString().slice(0, 10),
    commit: stdout?.trim() || 'unknown',
  }
}
