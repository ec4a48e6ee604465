import { arch, availableParallelism, cpus, platform } from 'node:os'
import { flags } from './flags.ts'

/** A table of the report: what was measured, and how to show it. */
export interface Table<Row> {
  readonly title: string
  readonly columns: Readonly<Record<string, (row: Row) => string>>
  readonly rows: readonly Row[]
}

/** Prints the tables on standard output: Markdown, or the rows as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: every table has rows of its own, which only its own columns read.
export function printReport(tables: readonly Table<any>[]): void {
  console.log(flags.json ? toJson(tables) : toMarkdown(tables))
}

/** payhook's own rows stand out. */
export function emphasize(name: string): string {
  return name.startsWith('payhook') ? `**${name}**` : name
}

function toJson(tables: readonly Table<unknown>[]): string {
  const { machine, node } = describeMachine()
  return JSON.stringify(
    { machine, node, tables: tables.map(({ title, rows }) => ({ title, rows })) },
    null,
    2,
  )
}

function toMarkdown(tables: readonly Table<unknown>[]): string {
  const { machine, node } = describeMachine()
  const parts = tables.map(({ title, columns, rows }) => {
    const lines = rows.map((row) => Object.values(columns).map((text) => text(row)))
    return `### ${title}\n\n${toMarkdownTable(Object.keys(columns), lines)}`
  })
  return [`Node ${node}, ${machine}.`, ...parts].join('\n\n')
}

/** The first column is text, the others are figures. */
function toMarkdownTable(headings: readonly string[], lines: readonly string[][]): string {
  const widths = headings.map((heading, at) =>
    Math.max(3, heading.length, ...lines.map((line) => line[at]?.length ?? 0)),
  )
  const write = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [write(headings), rule, ...lines.map(write)].join('\n')
}

function describeMachine(): { machine: string; node: string } {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  return {
    machine: `${availableParallelism()} cores (${model}), ${platform()} ${arch()}`,
    node: process.versions.node,
  }
}
