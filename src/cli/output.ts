import { styleText } from 'node:util'

/** The version of the objects that `--json` prints. It changes if a field is removed or changes its meaning. */
const JSON_VERSION = 1

/** Prints a line of data. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints data as one line of JSON. */
export function printJson(data: object): void {
  print(JSON.stringify({ version: JSON_VERSION, ...data }))
}

/** Writes a line for the user, not for the next program. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`)
}

export function noteJson(data: object): void {
  note(JSON.stringify({ version: JSON_VERSION, ...data }))
}

/** Colours a text if its terminal supports colours. Respects `NO_COLOR` and `FORCE_COLOR`. */
export function paint(
  format: Parameters<typeof styleText>[0],
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return stream.isTTY && stream.hasColors() ? styleText(format, text, { validateStream: false }) : text
}

/** Aligns the cells of all rows in columns. */
export function toTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    })
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** One line without control characters, since text from a sender must not control the terminal. */
export function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}
