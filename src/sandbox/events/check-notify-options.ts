import { assertOptions, booleanOption } from '../../option-checks.ts'
import { checkFaults, type Faults } from '../delivery/faults.ts'
import type { NotifyOptions } from '../sandbox.ts'

/**
 * Checks the options, and returns the faults.
 *
 * @throws TypeError if an option is unknown or out of range
 */
export function checkNotifyOptions(options: NotifyOptions): Faults {
  assertOptions(options, ['inline', 'faults'])
  booleanOption('inline', options.inline, false)
  return checkFaults(options.faults)
}

const MAX_KIND_LENGTH = 1_000

/** @throws TypeError if the kind is not a string, empty or too long. Unknown kinds are allowed. */
export function assertKind(kind: unknown): asserts kind is string {
  if (typeof kind !== 'string' || kind === '' || kind.length > MAX_KIND_LENGTH)
    throw new TypeError(`"kind" must be a string of 1 to ${MAX_KIND_LENGTH} characters`)
}
