const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Runs until it ends by itself or is interrupted. An interruption aborts the signal and sets the exit code. A
 * second Ctrl-C ends the process at once.
 */
export async function untilInterrupted(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  function interrupt(name: keyof typeof EXIT_CODES): void {
    process.exitCode = EXIT_CODES[name]
    controller.abort()
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    await run(controller.signal)
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

/** Resolves when the signal is aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
