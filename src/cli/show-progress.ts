import { paint, render } from './output.ts'

const WIDTH = 10

/** On stderr, if it is a terminal: a text, and a bar if the numbers are given. Without a text, removes it. */
export function showProgress(text = '', done = 0, total?: number): void {
  const { stderr } = process
  if (!stderr.isTTY) return
  // Moves to the first column, and erases the line.
  stderr.write(`\r\x1b[K${text}`)
  if (total === undefined) return
  const bar = '█'.repeat(Math.min(WIDTH, Math.round((WIDTH * done) / total))).padEnd(WIDTH, '░')
  stderr.write(` ${render(paint('cyan', bar), stderr)} ${done}/${total}`)
}
