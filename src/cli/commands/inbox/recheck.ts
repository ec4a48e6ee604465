import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { toSchemaMap } from '../../../events/kind-schemas.ts'
import type { Inbox } from '../../../inbox/inbox.ts'
import { Failure, UsageError } from '../../errors.ts'
import { addInboxCommand } from '../../open-inbox.ts'
import { print } from '../../output.ts'
import { type Difference, type Reading, recheckEntry } from '../../recheck-entry.ts'
import { showProgress } from '../../show-progress.ts'
import { countEntries } from './entries.ts'

/** How often the progress is shown, in entries. */
const STEP = 1_000

export function addRecheck(inbox: Command): void {
  addInboxCommand(inbox, 'recheck', {
    description:
      'Read all stored bodies with this version of payhook. Prints what would be read differently: the subject, the concurrency key, a digit, or whether handlers would recognize it. Changes nothing. Exits with 1 if there is a difference. Run it with a new version before you deploy that.',
    examples: [
      'npx payhook@latest inbox recheck sqlite:inbox.db',
      'payhook inbox recheck env:DATABASE_URL --receiver ./kinds.mjs --json',
    ],
    run: recheck,
  }).option('--receiver <file>', 'module that exports the options kinds and concurrencyKey of your receiver')
}

async function recheck(inbox: Inbox, { receiver }: { receiver?: string }): Promise<void> {
  const reading = await load(receiver)
  const total = await countEntries(inbox)
  let checked = 0
  let different = 0
  for await (const entry of inbox.entries()) {
    if (checked % STEP === 0) showProgress('checking', checked, Math.max(total, checked, 1))
    checked += 1
    const differences = recheckEntry(entry, reading)
    if (differences.length === 0) continue
    different += 1
    showProgress()
    const { id, state, kind, subject } = entry
    print({ id, state, kind, subject, differences }, () =>
      [id, state, kind ?? 'unreadable', subject ?? '-', differences.map(toText).join('; ')].join('  '),
    )
  }
  showProgress()
  print({ checked, different }, () => `${checked} checked, ${different} would be read differently`)
  if (different > 0) process.exitCode = 1
}

function toText(difference: Difference): string {
  switch (difference.what) {
    case 'unrecognized':
      return `UNRECOGNIZED: ${difference.issues.map(({ path, message }) => `${path.join('.') || 'data'} ${message}`).join(', ')}`
    case 'unreadable':
      return difference.reason
    case 'readable':
      return 'can be read now: replay it'
    case 'digits':
      return `digits of ${difference.path.join('.')}: ${difference.sent} would be ${difference.read}`
    default:
      return `${difference.what}: ${difference.stored ?? 'none'} would be ${difference.read ?? 'none'}`
  }
}

async function load(file: string | undefined): Promise<Reading> {
  if (file === undefined) return { schemas: new Map(), concurrencyKey: undefined }
  const { kinds, concurrencyKey } = await import(pathToFileURL(resolve(file)).href).catch((cause) => {
    throw new Failure('receiver_unreadable', `Cannot load ${file}: ${cause}.`, { cause })
  })
  if (kinds === undefined && concurrencyKey === undefined)
    throw new UsageError(`${file} must export kinds, concurrencyKey, or both.`)
  if (concurrencyKey !== undefined && typeof concurrencyKey !== 'function')
    throw new UsageError(`concurrencyKey of ${file} must be a function.`)
  return { schemas: toSchemaMap(kinds), concurrencyKey }
}
