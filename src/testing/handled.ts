import { checkOptions, delayMs } from '../option-checks.ts'

/**
 * Waits until an inbox has handled all that it stored: nothing waits, not even for another attempt, and nothing
 * is active. What died counts as handled.
 *
 * @param options.timeoutMs how long to wait, in milliseconds. @default 10,000
 * @throws Error if something is left after that time
 * @throws TypeError if an option is unknown or out of range
 * @example
 * await sandbox.createPayment().setStatus('Complete')
 * await handled(inbox)
 */
export async function handled(
  inbox: { counts(): Promise<{ readonly waiting: number; readonly active: number }> },
  options: { readonly timeoutMs?: number } = {},
): Promise<void> {
  const { timeoutMs } = checkOptions('handled', options, { timeoutMs: delayMs(0, 10_000) })
  const end = performance.now() + timeoutMs
  for (;;) {
    const { waiting, active } = await inbox.counts()
    if (waiting + active === 0) return
    if (performance.now() > end)
      throw new Error(`not handled within ${timeoutMs} ms: ${waiting} waiting, ${active} active`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
