import type { CheckOptions } from './check/check-options.ts'
import type { CheckReport } from './check/check-report.ts'

/**
 * Checks a receiver in any language: sends what the service sends and what it never would, and compares the
 * responses with what they have to be. Only the status can be seen from outside; `unseen` says what to look for
 * in the receiver. It handles what is correctly signed, so do not check one that moves money.
 *
 * @returns a report, also if nothing listens at the URL, or the signal ends the check
 * @throws TypeError if an option is invalid, or the receiver is on another machine without `allowRemote`
 * @example
 * const { results } = await checkReceiver({ url: 'http://127.0.0.1:3000/webhooks', clientId })
 * expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
 */
export async function checkReceiver(options: CheckOptions): Promise<CheckReport> {
  // Only loaded if it is used.
  const { prepareCheck } = await import('./check/prepare-check.ts')
  const { run } = await prepareCheck(options)
  return await run()
}
