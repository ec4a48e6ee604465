import { once } from 'node:events'

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
type Signal = keyof typeof EXIT_CODES

const interrupts = new Set<(exitCode: number) => void>()

/** An interruption aborts the signal and sets the exit code. A second Ctrl-C ends the process at once. */
export async function untilInterrupted(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  function interrupt(exitCode: number): void {
    process.exitCode = exitCode
    controller.abort()
  }
  const onSignal = (name: Signal) => interrupt(EXIT_CODES[name])
  const signals = Object.keys(EXIT_CODES) as Signal[]
  for (const signal of signals) process.once(signal, onSignal)
  interrupts.add(interrupt)
  try {
    await run(controller.signal)
  } finally {
    for (const signal of signals) process.off(signal, onSignal)
    interrupts.delete(interrupt)
  }
}

/**
 * Ends the command if the reader of its output has ended, as in `payhook deliveries | head`. A command that has
 * failed until then has failed.
 */
export function endWithReader(): void {
  // SIGPIPE does not tell: a socket that the other side has closed raises it, too.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (interrupts.size === 0) process.exit()
    for (const interrupt of interrupts) interrupt(Number(process.exitCode ?? 0))
  })
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
