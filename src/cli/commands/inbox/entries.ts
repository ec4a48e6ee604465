import { isUtf8 } from 'node:buffer'
import { type Command, InvalidArgumentError } from 'commander'
import { readHighlights } from '../../../events/read-highlights.ts'
import { isSubject } from '../../../events/subject.ts'
import { entryNotFound, STATES } from '../../../inbox/entry-rules.ts'
import type { Inbox, InboxCounts, InboxEntry, InboxState } from '../../../inbox/inbox.ts'
import { formatBody } from '../../format-body.ts'
import { addInboxCommand, withInbox } from '../../open-inbox.ts'
import { choiceOption, toCount } from '../../option-values.ts'
import { print } from '../../output.ts'
import { type Column, noteMore, printList, toFields } from '../../table.ts'

interface ListCommandOptions {
  readonly state?: InboxState
  readonly subject?: string
  readonly kind?: string
  readonly limit: number
}

/** Adds `inbox list` and `inbox show`. */
export function addEntries(inbox: Command): void {
  addInboxCommand(inbox, 'list', {
    description:
      'List entries without their bodies. The oldest first: dead, then active, waiting and completed ones. Those about one subject in the order in which they arrived.',
    examples: [
      'payhook inbox list sqlite:inbox.db --state dead',
      'payhook inbox list sqlite:inbox.db --subject payment:48121',
      'payhook inbox list sqlite:inbox.db --kind INBOUND_PAYMENT_STATUS_UPDATED --limit 1000 --json',
    ],
  })
    .addOption(choiceOption('--state <state>', 'list only this state', STATES))
    .option('--subject <subject>', 'list only what is about this, such as payment:48121', toSubject)
    .option('--kind <kind>', 'list only this kind')
    .option('--limit <number>', 'how many at most', toCount, 50)
    .action(async (url: string, options: ListCommandOptions) => {
      const { found, total } = await withInbox(url, (opened) => find(opened, options))
      const { subject } = options
      // Nearly always it was meant as an id, and would silently find nothing.
      const hint = subject && !subject.includes(':') ? ` A subject looks like payment:${subject}.` : ''
      printList(found, COLUMNS, `No entries.${hint}`)
      noteMore(found.length, total)
    })
  addInboxCommand(inbox, 'show', {
    description: 'Show an entry with its body.',
    examples: [
      'payhook inbox show sqlite:inbox.db 17',
      'payhook inbox show sqlite:inbox.db 17 --body > body.json',
    ],
    json: 'print JSON, with the body as text and in Base64',
  })
    .argument('<id>', 'id of the entry, as list prints it')
    .option('--body', 'print the exact bytes of the body and nothing else')
    .action(async (url: string, id: string, { body }: { body?: true }) => {
      const entry = await withInbox(url, (opened) => opened.get(id))
      if (entry === undefined) throw entryNotFound(id)
      const bytes = Buffer.from(entry.rawBody)
      if (body) return void process.stdout.write(bytes)
      const described = withoutBody(entry)
      const text = isUtf8(bytes) ? bytes.toString() : null
      print({ ...described, body: text, bodyBase64: bytes.toString('base64') }, ({ error }) => [
        ...toFields({ ...described, error: error?.split('\n', 1)[0] }),
        ...(error?.includes('\n') ? ['\n\n', error] : []),
        '\n\n',
        formatBody(bytes),
      ])
    })
}

/** The first entries that match, and how many do. Without counting those that would all have to be read. */
async function find(inbox: Inbox, { state, subject, kind, limit }: ListCommandOptions) {
  const found: Listed[] = []
  for await (const entry of inbox.entries({ state, subject })) {
    if (kind !== undefined && entry.kind !== kind) continue
    if (found.length < limit) found.push(toListed(entry))
    else if (subject ?? kind) return { found, total: undefined }
    else return { found, total: sum(await inbox.counts(), state) }
  }
  return { found, total: found.length }
}

function sum(counts: InboxCounts, state: InboxState | undefined): number {
  if (state !== undefined) return counts[state]
  return Object.values(counts).reduce((all, count) => all + count, 0)
}

type Listed = ReturnType<typeof toListed>

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'KIND', cell: ({ kind }) => kind ?? 'unreadable', least: 8 },
  { title: 'SUBJECT', cell: ({ subject }) => subject ?? '-' },
  { title: 'STATUS', cell: ({ highlights }) => highlights.status ?? '-', least: 8 },
  { title: 'ATTEMPTS', cell: ({ attempts }) => `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` },
  { title: 'RECEIVED', cell: ({ receivedAt }) => receivedAt.toISOString() },
  { title: 'ERROR', cell: toReason, least: 8 },
]

/** The last error, after the time until which the entry waits. */
function toReason({ error, dueAt }: Listed): string {
  const reason = error?.split('\n    at ', 1)[0]?.slice(0, 100) ?? ''
  return dueAt !== null && dueAt.getTime() > Date.now() ? `until ${dueAt.toISOString()}: ${reason}` : reason
}

export function toSubject(text: string): string {
  if (isSubject(text)) return text
  throw new InvalidArgumentError('It must have 1 to 200 characters, such as payment:48121.')
}

function toListed(entry: InboxEntry) {
  return { ...withoutBody(entry), highlights: readHighlights(entry.rawBody) }
}

export function withoutBody({ rawBody, ...entry }: InboxEntry) {
  return { ...entry, bytes: rawBody.length }
}
