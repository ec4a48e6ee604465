import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type LinePlot, toSvg } from './line-plot.ts'

/** What a benchmark prints with `--json`. */
export interface Report {
  readonly machine: string
  readonly node: string
  readonly date: string
  readonly commit: string
  readonly tables: readonly ReportedTable[]
}

interface ReportedTable {
  readonly title: string
  readonly rows: readonly unknown[]
  readonly markdown: string
}

export const results = fileURLToPath(new URL('../results/', import.meta.url))

/** The tables with their titles, in Markdown. */
export function sections({ tables }: Report): string {
  return tables.map(({ title, markdown }) => `### ${title}\n\n${markdown}`).join('\n\n')
}

/** The rows of the table whose title begins like this. */
export function rowsOf<Row>({ tables }: Report, title: string): Row[] {
  const table = tables.find((each) => each.title.startsWith(title))
  if (table === undefined) throw new Error(`There is no table "${title}".`)
  return table.rows as Row[]
}

/** Writes a plot, and returns its Markdown. */
export function plot(name: string, content: LinePlot): string {
  writeFileSync(`${results}${name}.svg`, toSvg(content))
  return `![${content.title}](${name}.svg)`
}
