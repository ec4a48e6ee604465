import { note, type Painted, print, toOneLine } from './output.ts'

export type Cell = string | Painted

/** A column of a list. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => Cell
  /** Whether its cells may be cut at the width of the terminal. Ids are for copying and stay whole. */
  readonly cut?: true
}

const GAP = '  '
/** To which columns are cut. */
const MIN_WIDTH = 8

/**
 * Prints a list: on a terminal as a table with titles, and else one row a line.
 *
 * @param nothing what to say if it is empty
 */
export function printList<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  nothing: string,
): void {
  if (rows.length === 0) return void note(nothing)
  const titles = columns.map(({ title }): Cell => ({ color: 'bold', text: title }))
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)))
  const cut = columns.flatMap((column, index) => (column.cut ? index : []))
  print(rows, () => toTable(process.stdout.isTTY ? [titles, ...cells] : cells, cut))
}

/**
 * Lines with aligned cells.
 *
 * @param cut the columns that may be cut to fit the width of the terminal
 * @param least the least width of each column
 */
export function toTable(
  rows: readonly (readonly Cell[])[],
  cut: readonly number[] = [],
  least: readonly number[] = [],
): readonly (string | Painted)[] {
  const widths = toWidths(rows, least)
  if (process.stdout.isTTY && cut.length > 0) narrow(widths, cut)
  return rows.flatMap((row, index) => {
    const cells = row.slice(0, widths.length).map((cell, column) => shorten(cell, widths[column] as number))
    const last = cells.findLastIndex(({ text }) => text !== '')
    const padded = cells.slice(0, last + 1).flatMap((cell, column) => {
      const space = (widths[column] as number) - cell.text.length + GAP.length
      return column === last ? [cell] : [cell, ' '.repeat(space)]
    })
    return index === 0 ? padded : ['\n', ...padded]
  })
}

function toWidths(rows: readonly (readonly Cell[])[], least: readonly number[]): number[] {
  const widths = [...least]
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, shorten(cell).text.length)
  return widths
}

/** Cuts the widest columns until all fit, and leaves out the last ones if that is not enough. */
function narrow(widths: number[], cut: readonly number[]): void {
  const width = () => widths.reduce((sum, each) => sum + each + GAP.length, -GAP.length)
  while (width() > process.stdout.columns && widths.length > 2) {
    const widest = Math.max(...cut.map((column) => widths[column] ?? 0))
    if (widest <= MIN_WIDTH) widths.pop()
    else widths[widths.findIndex((each, column) => each === widest && cut.includes(column))] = widest - 1
  }
}

function shorten(cell: Cell, width = Number.POSITIVE_INFINITY): Painted {
  const { color, text } = typeof cell === 'string' ? { color: 'none' as const, text: cell } : cell
  const line = toOneLine(text)
  return { color, text: line.length > width ? `${line.slice(0, width - 1)}…` : line }
}

/** One line for each field of an object. */
export function toFields(fields: object): readonly (string | Painted)[] {
  return toTable(
    Object.entries(fields).map(([name, value]) => {
      if (value instanceof Date) return [name, value.toISOString()]
      return [
        name,
        typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-'),
      ]
    }),
  )
}
