import { paint, render } from './output.ts'

/** A progress bar on stderr, if stderr is a terminal. */
export interface ProgressBar {
  show(done: number): void
  clear(): void
}

const WIDTH = 30

export function createProgressBar(label: string, total: number): ProgressBar {
  const { stderr } = process
  if (!stderr.isTTY) return { show() {}, clear() {} }
  let shown = ''
  return {
    show(done) {
      const filled = Math.round((WIDTH * Math.min(done, total)) / Math.max(total, 1))
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
      const line = `${label} ${render(paint('cyan', bar), stderr)} ${done}/${total}`
      if (line !== shown) stderr.write(`\r${line}`)
      shown = line
    },
    // Moves to the first column, and erases the line.
    clear: () => void stderr.write('\r\x1b[K'),
  }
}
