import { isJsonOutput, note, type Painted, print, printText, toOneLine, warn } from './output.ts'

export type Cell = string | Painted

type Line = readonly (string | Painted)[]

/** How wide a column is: by default as its widest cell. */
export interface Fit {
  /** The least width to which its cells are padded. */
  readonly width?: number
  /** The width down to which a narrow terminal may cut it. Default: it stays whole. */
  readonly least?: number
}

/** A column of a list. A narrow terminal leaves out the last ones. */
export interface Column<Row> extends Fit {
  readonly title: string
  readonly cell: (row: Row) => Cell
}

const GAP = '  '
/** A sender can write any text, and cells are padded to the longest of their column; the last are not. */
const MAX_PADDED = 200

/** On a terminal a table with titles, and else one row a line; `nothing` if it is empty. */
export function printList<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  nothing: string,
): void {
  if (rows.length === 0) return void note(nothing)
  if (isJsonOutput()) return void print(rows, () => '')
  const titles = columns.map(({ title }): Cell => ({ color: 'bold', text: title }))
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)))
  for (const line of toLines(process.stdout.isTTY ? [titles, ...cells] : cells, columns)) printText(line)
}

/** Says that a list was not printed to its end. Without a total, nobody knows how many there are. */
export function noteMore(printed: number, total?: number): void {
  const [some, all] = [printed, total].map((count) => count?.toLocaleString('en'))
  warn(`${all === undefined ? `The first ${some}` : `${some} of ${all}`}; --limit prints more.`)
}

/** Lines with aligned cells, as one text. */
export function toTable(rows: readonly (readonly Cell[])[], columns: readonly Fit[] = []): Line {
  return toLines(rows, columns).flatMap((line, index) => (index === 0 ? line : ['\n', ...line]))
}

function toLines(rows: readonly (readonly Cell[])[], columns: readonly Fit[]): Line[] {
  const widths = toWidths(rows, columns)
  // A terminal that does not know its width, such as that of `docker run -t` in CI, says 0.
  if (process.stdout.isTTY && process.stdout.columns > 0) narrow(widths, columns)
  return rows.map((row) => {
    const cells = row.slice(0, widths.length).map((cell, column) => shorten(cell, widths[column] as number))
    const last = cells.findLastIndex(({ text }) => text !== '')
    return cells.slice(0, last + 1).flatMap((cell, column) => {
      const space = (widths[column] as number) - cell.text.length + GAP.length
      return column === last ? [cell] : [cell, ' '.repeat(space)]
    })
  })
}

function toWidths(rows: readonly (readonly Cell[])[], columns: readonly Fit[]): number[] {
  const widths = columns.map(({ width = 0 }) => width)
  for (const row of rows)
    for (const [column, cell] of row.entries()) {
      const most = column === row.length - 1 ? undefined : MAX_PADDED
      widths[column] = Math.max(widths[column] ?? 0, shorten(cell, most).text.length)
    }
  return widths
}

/** Leaves out the last columns until the others fit at their least widths, then cuts the widest ones. */
function narrow(widths: number[], columns: readonly Fit[]): void {
  const least = widths.map((width, column) => Math.min(width, columns[column]?.least ?? width))
  const fits = (all: readonly number[]) =>
    all.reduce((sum, each) => sum + each + GAP.length, -GAP.length) <= process.stdout.columns
  while (!fits(least) && least.length > 2) least.pop()
  widths.length = least.length
  while (!fits(widths)) {
    const spare = widths.map((width, column) => (width > (least[column] as number) ? width : 0))
    const widest = Math.max(...spare)
    if (widest === 0) break
    widths[spare.indexOf(widest)] = widest - 1
  }
}

function shorten(cell: Cell, width = Number.POSITIVE_INFINITY): Painted {
  const { color, text } = typeof cell === 'string' ? { color: 'none' as const, text: cell } : cell
  const line = toOneLine(text)
  return { color, text: line.length <= width ? line : `${line.slice(0, width - 1)}…` }
}

export function toFields(fields: object): Line {
  return toTable(Object.entries(fields).map(([name, value]) => [name, toText(value)]))
}

function toText(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-')
}
