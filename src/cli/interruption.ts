import { once } from 'node:events'

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 0 } as const
type Signal = keyof typeof EXIT_CODES

/**
 * Runs until it ends by itself or is interrupted. An interruption aborts the signal and sets the exit code. A
 * second Ctrl-C ends the process at once.
 */
export async function untilInterrupted(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  function interrupt(name: Signal): void {
    process.exitCode = EXIT_CODES[name]
    controller.abort()
  }
  const signals = Object.keys(EXIT_CODES) as Signal[]
  for (const signal of signals) process.once(signal, interrupt)
  try {
    await run(controller.signal)
  } finally {
    for (const signal of signals) process.off(signal, interrupt)
  }
}

/** Ends the command if the reader of its output has ended, as in `payhook deliveries | head`. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (!process.emit('SIGPIPE')) process.exit(0)
  })
}

/** Resolves when the signal is aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
