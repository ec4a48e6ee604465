import { EVENT_KINDS, type EventKind } from '../../events/kinds.ts'
import { assertOptions, booleanOption } from '../../option-checks.ts'
import { checkFaults, type Faults } from '../delivery/faults.ts'
import type { NotifyOptions } from '../sandbox.ts'

/** @throws TypeError for an option that does not exist or is out of range; gives the faults */
export function checkNotifyOptions(options: NotifyOptions): Faults {
  assertOptions(options, ['inline', 'faults'])
  booleanOption('inline', options.inline, false)
  return checkFaults(options.faults)
}

/** @throws TypeError for a kind that the service does not know */
export function assertKind(kind: unknown): asserts kind is EventKind {
  if (!(EVENT_KINDS as readonly unknown[]).includes(kind))
    throw new TypeError(`"kind" must be one of ${EVENT_KINDS.join(', ')}`)
}
