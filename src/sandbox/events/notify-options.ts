import { type Checks, flag } from '../../option-checks.ts'
import { checkFaults, type Faults } from '../delivery/faults.ts'
import type { NotifyOptions } from '../sandbox.ts'

export const NOTIFY_OPTIONS = {
  inline: flag(false),
  faults: (_name, value) => checkFaults(value as Faults | undefined),
} satisfies Checks<NotifyOptions>
