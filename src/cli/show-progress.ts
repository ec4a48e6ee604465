import { paint, render } from './output.ts'

const WIDTH = 10

/**
 * Shows progress on stderr, if stderr is a terminal: as a bar, or as a number if the total is unknown. Without
 * numbers, removes it.
 */
export function showProgress(label: string, done?: number, total?: number): void {
  const { stderr } = process
  if (!stderr.isTTY) return
  // Moves to the first column, and erases the line.
  stderr.write('\r\x1b[K')
  if (done === undefined) return
  if (total === undefined) return void stderr.write(`${label} ${done}`)
  const bar = '█'.repeat(Math.min(WIDTH, Math.round((WIDTH * done) / total))).padEnd(WIDTH, '░')
  stderr.write(`${label} ${render(paint('cyan', bar), stderr)} ${done}/${total}`)
}
