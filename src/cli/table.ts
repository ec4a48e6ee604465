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
const MIN_WIDTH = 10

/**
 * Prints a list: on a terminal as a table with titles that fits its width, and else one row a line.
 *
 * @param nothing what to say if it is empty
 */
export function printList<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  nothing: string,
): void {
  if (rows.length === 0) note(nothing)
  else
    print(rows, () => {
      const cells = rows.map((row) => columns.map(({ cell }) => cell(row)))
      const { isTTY, columns: width } = process.stdout
      if (!isTTY) return toTable(cells)
      const titles = columns.map(({ title }): Cell => ({ color: 'bold', text: title }))
      return toTable([titles, ...cells], narrow(widthsOf([titles, ...cells]), columns, width))
    })
}

/** Lines with aligned cells. A cell that is wider than its column is cut. */
export function toTable(
  rows: readonly (readonly Cell[])[],
  widths: readonly number[] = widthsOf(rows),
): readonly (string | Painted)[] {
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

function shorten(cell: Cell, width: number): Painted {
  const { color, text } = typeof cell === 'string' ? { color: 'none' as const, text: cell } : cell
  const line = toOneLine(text)
  return { color, text: line.length > width ? `${line.slice(0, width - 1)}…` : line }
}

/** One line for each field of an object. */
export function toFields(fields: object): readonly (string | Painted)[] {
  return toTable(Object.entries(fields).map(([name, value]) => [name, toText(value)]))
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}

function widthsOf(rows: readonly (readonly Cell[])[]): number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, toOneLine(textOf(cell)).length)
  return widths
}

/** Cuts the widest columns that may be cut until all fit, and leaves out the last ones if that is not enough. */
function narrow(widths: readonly number[], columns: readonly Column<never>[], total: number): number[] {
  const fitted = [...widths]
  const excess = () => fitted.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - total
  while (excess() > 0 && fitted.length > 1) {
    const cuttable = fitted.map((width, index) => (columns[index]?.cut ? width : 0))
    const widest = Math.max(...cuttable)
    if (widest <= MIN_WIDTH) fitted.pop()
    else fitted[cuttable.indexOf(widest)] = widest - 1
  }
  return fitted
}
