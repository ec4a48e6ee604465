import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { type SchemaMap, toSchemaMap } from '../../../events/kind-schemas.ts'
import { parseEvent } from '../../../events/parse-event.ts'
import { readSubject } from '../../../events/subject.ts'
import type { Issue, WebhookEvent } from '../../../events/webhook-event.ts'
import type { Inbox, InboxEntry } from '../../../inbox/inbox.ts'
import { Failure, UsageError } from '../../errors.ts'
import { addInboxCommand } from '../../open-inbox.ts'
import { print, toOneLine } from '../../output.ts'
import { showProgress } from '../../show-progress.ts'
import { countEntries } from './entries.ts'

/** How often the progress is shown, in entries. */
const STEP = 1_000

export function addRecheck(inbox: Command): void {
  addInboxCommand(inbox, 'recheck', {
    description:
      'Read all stored bodies with this version of payhook. Prints what would be read differently: the subject, or whether handlers would recognize it. Also lists unknown kinds. Changes nothing. Exits with 1 if there is a difference. Run it with a new version before you deploy that.',
    examples: [
      'npx payhook@latest inbox recheck sqlite:inbox.db',
      'payhook inbox recheck env:DATABASE_URL --receiver ./kinds.mjs --json',
    ],
    run: recheck,
  }).option('--receiver <file>', 'module that exports the option kinds of your receiver')
}

async function recheck(inbox: Inbox, { receiver }: { receiver?: string }): Promise<void> {
  const schemas = await loadSchemas(receiver)
  const total = await countEntries(inbox)
  let checked = 0
  let different = 0
  let unknown = 0
  for await (const entry of inbox.entries()) {
    if (checked % STEP === 0) showProgress('checking', checked, Math.max(total, checked, 1))
    checked += 1
    const findings = recheckEntry(entry, schemas)
    if (findings.length === 0) continue
    if (findings.some(({ what }) => what !== 'unknownKind')) different += 1
    else unknown += 1
    showProgress()
    const { id, state, kind, subject } = entry
    print({ id, state, kind, subject, findings }, () =>
      [id, state, kind ?? 'unreadable', subject ?? '-', findings.map(toText).join('; ')]
        .map(toOneLine)
        .join('  '),
    )
  }
  showProgress()
  print({ checked, different, unknown }, () => {
    const harmless = unknown > 0 ? `, ${unknown} of an unknown kind` : ''
    return `${checked} checked, ${different} would be read differently${harmless}`
  })
  if (different > 0) process.exitCode = 1
}

type Finding =
  | { readonly what: 'subject'; readonly stored: string | null; readonly read: string | null }
  | { readonly what: 'unrecognized'; readonly issues: readonly Issue[] }
  | { readonly what: 'unreadable'; readonly reason: string }
  /** It is dead because it could not be read, and can be read now. */
  | { readonly what: 'readable' }
  /** No difference: without a handler, it completes. */
  | { readonly what: 'unknownKind' }

export function recheckEntry({ rawBody, error, ...entry }: InboxEntry, schemas: SchemaMap): Finding[] {
  const wasUnreadable = error?.startsWith('PayloadError') === true
  const findings: Finding[] = []
  const subject = readSubject(rawBody)
  if (subject !== entry.subject) findings.push({ what: 'subject', stored: entry.subject, read: subject })
  let event: WebhookEvent
  try {
    event = parseEvent(rawBody, schemas)
  } catch (cause) {
    return wasUnreadable ? findings : [...findings, { what: 'unreadable', reason: String(cause) }]
  }
  if (wasUnreadable !== (event.type === 'UNRECOGNIZED')) findings.push(toFinding(event))
  return findings
}

function toFinding(event: WebhookEvent): Finding {
  if (event.type !== 'UNRECOGNIZED') return { what: 'readable' }
  const { issues } = event
  return issues.some(({ code }) => code === 'unknown_kind')
    ? { what: 'unknownKind' }
    : { what: 'unrecognized', issues }
}

function toText(finding: Finding): string {
  switch (finding.what) {
    case 'subject':
      return `subject: ${finding.stored ?? 'none'} would be ${finding.read ?? 'none'}`
    case 'unrecognized':
      return `UNRECOGNIZED: ${finding.issues.map(({ path, message }) => `${path.join('.') || 'data'} ${message}`).join(', ')}`
    case 'unreadable':
      return finding.reason
    case 'readable':
      return 'can be read now: replay it'
    default:
      return 'unknown kind: completes without a handler'
  }
}

async function loadSchemas(file: string | undefined): Promise<SchemaMap> {
  if (file === undefined) return new Map()
  const { kinds } = await import(pathToFileURL(resolve(file)).href).catch((cause) => {
    throw new Failure('receiver_unreadable', `Cannot load ${file}: ${cause}.`, { cause })
  })
  if (kinds === undefined) throw new UsageError(`${file} must export kinds.`)
  return toSchemaMap(kinds)
}
