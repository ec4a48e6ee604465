import { isUtf8 } from 'node:buffer'
import { type Command, InvalidArgumentError } from 'commander'
import { readHighlights } from '../../../events/read-highlights.ts'
import { isSubject } from '../../../events/subject.ts'
import { entryNotFound, STATES } from '../../../inbox/entry-rules.ts'
import type { Inbox, InboxEntry, InboxState } from '../../../inbox/inbox.ts'
import { formatBody } from '../../../testing/format-body.ts'
import { addInboxCommand } from '../../open-inbox.ts'
import { choiceOption, toCount } from '../../option-values.ts'
import { print } from '../../output.ts'
import { type Column, noteMore, printList, toFields } from '../../table.ts'

interface ListOptions {
  readonly state?: InboxState
  readonly subject?: string
  readonly kind?: string
  readonly limit: number
}

export function addEntries(inbox: Command): void {
  addInboxCommand(inbox, 'list', {
    description:
      'List entries without their bodies. The oldest first: dead, then active, waiting and completed ones. Those about one subject in the order in which they arrived.',
    examples: [
      'payhook inbox list sqlite:inbox.db --state dead',
      'payhook inbox list sqlite:inbox.db --subject payment:48121',
    ],
    run: list,
  })
    .addOption(choiceOption('--state <state>', 'list only this state', STATES))
    .option('--subject <subject>', 'list only what is about this, such as payment:48121', toSubject)
    .option('--kind <kind>', 'list only this kind')
    .option('--limit <number>', 'how many at most', toCount, 50)
  addInboxCommand(inbox, 'show', {
    description: 'Show an entry with its body.',
    examples: ['payhook inbox show sqlite:inbox.db 17 --body > body.json'],
    json: 'print JSON, with the body as text and in Base64',
    run: show,
  })
    .argument('<id>', 'id of the entry, as list prints it')
    .option('--body', 'print the exact bytes of the body and nothing else')
}

async function list(inbox: Inbox, { state, subject, kind, limit }: ListOptions): Promise<void> {
  const found: Listed[] = []
  let isMore = false
  for await (const entry of inbox.entries({ state, subject })) {
    if (kind !== undefined && entry.kind !== kind) continue
    isMore = found.length === limit
    if (isMore) break
    found.push(toListed(entry))
  }
  // Nearly always it was meant as an id, and would silently find nothing.
  const hint = subject && !subject.includes(':') ? ` A subject looks like payment:${subject}.` : ''
  printList(found, COLUMNS, `No entries.${hint}`)
  // Without counting those that match, all would have to be read.
  if (isMore) noteMore(found.length, (subject ?? kind) ? undefined : await countEntries(inbox, state))
}

export async function countEntries(inbox: Inbox, state?: InboxState): Promise<number> {
  const counts = await inbox.counts()
  return state ? counts[state] : Object.values(counts).reduce((sum, count) => sum + count, 0)
}

async function show(inbox: Inbox, id: string, { body }: { body?: true }): Promise<void> {
  const entry = await inbox.get(id)
  if (entry === undefined) throw entryNotFound(id)
  const bytes = Buffer.from(entry.rawBody)
  if (body) return void process.stdout.write(bytes)
  const described = withoutBody(entry)
  const text = isUtf8(bytes) ? bytes.toString() : null
  const bodyBase64 = bytes.toString('base64')
  print({ ...described, body: text, bodyBase64 }, ({ error }) => [
    ...toFields({ ...described, error: error?.split('\n', 1)[0] }),
    ...(error?.includes('\n') ? ['\n\n', error] : []),
    '\n\n',
    text === null ? bodyBase64 : formatBody(text),
  ])
}

/**
 * Does something with entries in turn, and prints how many it was, even if it fails for one of them.
 *
 * @param act resolves to false if it left the entry alone
 */
export async function forEachEntry(
  ids: readonly string[],
  done: 'replayed' | 'deleted',
  act: (id: string) => Promise<unknown>,
): Promise<void> {
  let count = 0
  try {
    for (const id of ids) {
      if ((await act(id)) !== false) count += 1
    }
  } finally {
    if (count > 0) print({ [done]: count }, () => `${count} ${done}`)
  }
}

type Listed = ReturnType<typeof toListed>

/** What identifies an entry, in all lists. */
export const ENTRY_COLUMNS: readonly Column<ReturnType<typeof withoutBody>>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'KIND', cell: ({ kind }) => kind ?? 'unreadable', least: 8 },
  { title: 'SUBJECT', cell: ({ subject }) => subject ?? '-' },
]

const COLUMNS: readonly Column<Listed>[] = [
  ...ENTRY_COLUMNS,
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
