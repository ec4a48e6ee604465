import { assertOptions, booleanOption } from '../../option-checks.ts'
import { checkFaults, type Faults } from '../delivery/faults.ts'
import type { NotifyOptions } from '../sandbox.ts'

/** @throws TypeError for an option that does not exist or is out of range; gives the faults */
export function checkNotifyOptions(options: NotifyOptions): Faults {
  assertOptions(options, ['inline', 'faults'])
  booleanOption('inline', options.inline, false)
  return checkFaults(options.faults)
}

const MAX_KIND_LENGTH = 1_000

/** @throws TypeError for a kind that is no text, or empty or too long; it may be one that payhook does not know */
export function assertKind(kind: unknown): asserts kind is string {
  if (typeof kind !== 'string' || kind === '' || kind.length > MAX_KIND_LENGTH)
    throw new TypeError(`"kind" must be a string of 1 to ${MAX_KIND_LENGTH} characters`)
}
