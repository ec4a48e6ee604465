import { Buffer } from 'node:buffer'
import { readHighlights } from '../events/read-highlights.ts'
import { isSubject } from '../events/subject.ts'
import { concurrencyKeyOf, entryNotFound, STATES } from '../inbox/entry-rules.ts'
import type { Inbox, InboxEntry, InboxState, ListOptions } from '../inbox/inbox.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { parse } from '../parse.ts'

export type InboxResponses = { [Name in keyof Calls]: Json<Awaited<ReturnType<Calls[Name]>>> }

type Calls = typeof READS & typeof WRITES
/** Dates become ISO 8601. */
type Json<Value> = Value extends Date
  ? string
  : Value extends object
    ? { [Key in keyof Value]: Json<Value[Key]> }
    : Value
type Query = URLSearchParams

export class QueryError extends Error {}

const PAGE = 200
/** For how long a notification may be due or be handled before the page points to it. */
const LAG_MS = 60_000
const MAX_LENGTH = 200

const FILTERS = ['state', 'kind', 'subject', 'since', 'error']

export const READS = {
  counts: async (inbox: Inbox) => ({ counts: await inbox.counts() }),
  health: (inbox: Inbox) => inbox.health({ lagMs: LAG_MS }),
  list,
  entry: async (inbox: Inbox, query: Query) => {
    const id = readId(query)
    const entry = await inbox.get(id)
    if (entry === undefined) throw entryNotFound(id)
    return { ...toDetail(entry), busySince: await readBusySince(inbox, entry) }
  },
}

export const WRITES = {
  replay,
  'replay-all': async (inbox: Inbox, query: Query) => {
    const given = FILTERS.flatMap((name) => {
      const value = query.get(name)
      return value ? [[name, name === 'since' ? new Date(value) : value]] : []
    })
    const rate = query.get('perSecond')
    const options = { perSecond: rate ? Number(rate) : undefined, dryRun: query.has('dryRun') }
    return { replayed: await inbox.replayAll(Object.fromEntries(given), options).catch(toQueryError) }
  },
  pause: async (inbox: Inbox, query: Query) => {
    const reason = query.get('reason')
    if (!isSubject(reason)) throw new QueryError('A reason of 1 to 200 characters is needed.')
    await inbox.pause(reason)
    return {}
  },
  resume: async (inbox: Inbox) => {
    await inbox.resume()
    return {}
  },
  delete: async (inbox: Inbox, query: Query) => {
    const id = readId(query)
    const entry = await inbox.get(id)
    // Another user may have replayed it since the page showed it.
    if (entry && entry.state !== query.get('state'))
      throw new QueryError(`It was not deleted: it is ${entry.state} now.`)
    await inbox.delete(id)
    return { deleted: 1 }
  },
}

function toQueryError(error: unknown): never {
  throw error instanceof TypeError ? new QueryError(error.message) : error
}

/** Some engines cannot go on after an entry that has left its state meanwhile: the list ends there. */
function toEnd(error: unknown): InboxEntry[] {
  if (isPayhookError(error) && error.code === 'entry_not_found') return []
  throw error
}

function readId(query: Query): string {
  const id = query.get('id')
  if (!id) throw new QueryError('An id is needed.')
  return id
}

/**
 * A page of what is about the subject that the search names, in the order of arrival. If there is nothing, of
 * the entries that contain the search. `after` is the start of the next page: the number of a part, and an id.
 */
async function list(inbox: Inbox, query: Query) {
  const kind = query.get('kind')
  const search = query.get('search')?.trim() ?? ''
  const parts = await toParts(inbox, query.get('state'), search)
  const [number = '0', after] = query.get('after')?.split(/:(.*)/s) ?? []
  const part = parts[Number(number)]
  const options = { ...part, limit: PAGE, after: after || undefined }
  const page = part === undefined ? [] : await inbox.list(options).catch(toEnd)
  const entries = page
    .filter(
      (entry) => (!kind || entry.kind === kind) && (part?.subject || holds(entry, search.toLowerCase())),
    )
    .map(toSummary)
  const last = page.at(-1)
  if (last) return { entries, after: `${number}:${last.id}` }
  const next = Number(number) + 1
  return { entries, after: next < parts.length ? `${next}:` : null }
}

/** What a list consists of, one after the other: subjects that the inbox has an index of, or else states. */
async function toParts(inbox: Inbox, wanted: string | null, search: string): Promise<ListOptions[]> {
  const state = wanted === 'all' ? undefined : (wanted as InboxState)
  if (state !== undefined && !STATES.includes(state)) throw new QueryError(`There is no state ${state}.`)
  const found: ListOptions[] = []
  for (const subject of toSubjects(search)) {
    if ((await inbox.list({ subject, state, limit: 1 })).length > 0) found.push({ subject, state })
  }
  if (found.length > 0) return found
  return (state === undefined ? STATES : [state]).map((each) => ({ state: each }))
}

/** What a search may mean: itself, and for an id also that of a payment, an invoice or an account. */
function toSubjects(search: string): string[] {
  const subjects = /^\d+$/.test(search)
    ? [search, `payment:${search}`, `invoice:${search}`, `account:${search}`]
    : [search]
  return subjects.filter(isSubject)
}

async function replay(inbox: Inbox, query: Query) {
  const failed: { id: string; message: string }[] = []
  const completed: string[] = []
  readId(query)
  const ids = query.getAll('id')
  for (const id of ids) {
    try {
      // Its effects would happen again, so a click too many must not do it.
      if (!query.has('again') && (await inbox.get(id))?.state === 'completed') completed.push(id)
      else await inbox.replay(id)
    } catch (error) {
      // The others are replayed even if one is gone or being handled.
      if (!isPayhookError(error) || error.status >= 500) throw error
      failed.push({ id, message: error.message })
    }
  }
  return { replayed: ids.length - failed.length - completed.length, failed, completed }
}

function holds(entry: InboxEntry, search: string): boolean {
  if (search === '') return true
  const body = Buffer.from(entry.rawBody).toString()
  return [body, entry.id, entry.signature, entry.error].some((text) => text?.toLowerCase().includes(search))
}

function toSummary({ rawBody, ...entry }: InboxEntry) {
  // Without its stack, which the detail has.
  const error = clip(entry.error?.split('\n', 1)[0] ?? null)
  return { ...entry, kind: clip(entry.kind), error, highlights: readHighlights(rawBody) }
}

/** The list has no bodies, so a kind or an error must not be as long as one. */
function clip(text: string | null): string | null {
  return text && text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
}

/** Since when another notification of its key is being handled, if the entry could begin otherwise. */
async function readBusySince(inbox: Inbox, entry: InboxEntry): Promise<Date | null> {
  const key = concurrencyKeyOf(entry)
  if (key === null || entry.dueAt === null || entry.dueAt.getTime() > Date.now()) return null
  for await (const active of inbox.entries({ state: 'active' }))
    if (concurrencyKeyOf(active) === key) return active.startedAt
  return null
}

function toDetail(entry: InboxEntry) {
  const bodyBase64 = Buffer.from(entry.rawBody).toString('base64')
  return { ...toSummary(entry), error: entry.error, bodyBase64, event: toEvent(entry.rawBody) }
}

function toEvent(rawBody: Uint8Array): { json: string } | { error: string } {
  try {
    return { json: JSON.stringify(parse(rawBody)) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}
