import { Buffer } from 'node:buffer'
import { readSubject } from '../events/read-subject.ts'
import { entryNotFound, STATES } from '../inbox/entry-rules.ts'
import type { Inbox, InboxEntry, InboxState } from '../inbox/inbox.ts'
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

/** A call that is invalid. */
export class QueryError extends Error {}

const PAGE = 200
/** Of a kind or an error in the list. */
const MAX_LENGTH = 200

export const READS = {
  counts: async (inbox: Inbox) => ({ counts: await inbox.counts() }),
  list,
  entry: async (inbox: Inbox, query: Query) => {
    const id = readId(query)
    const entry = await inbox.get(id)
    if (entry === undefined) throw entryNotFound(id)
    return toDetail(entry)
  },
}

export const WRITES = {
  replay,
  'replay-dead': async (inbox: Inbox, query: Query) => {
    const kind = query.get('kind')
    return { replayed: await inbox.replayDead(kind === null ? {} : { kind }) }
  },
  delete: async (inbox: Inbox, query: Query) => {
    await inbox.delete(readId(query))
    return { deleted: 1 }
  },
  prune: async (inbox: Inbox, query: Query) => {
    const olderThan = new Date(query.get('olderThan') ?? '')
    const state = query.get('state')
    if (Number.isNaN(olderThan.getTime()) || (state !== 'completed' && state !== 'dead'))
      throw new QueryError('A date and the state completed or dead are needed.')
    return { pruned: await inbox.prune({ olderThan, state }) }
  },
}

function readId(query: Query): string {
  const id = query.get('id')
  if (!id) throw new QueryError('An id is needed.')
  return id
}

/** A page of one state, or of all, one after the other. `after` is the start of the next page: a state and an id. */
async function list(inbox: Inbox, query: Query) {
  const wanted = query.get('state')
  const [start, after] = query.get('after')?.split(/:(.*)/s) ?? []
  const state = (start || (wanted === 'all' ? STATES[0] : wanted)) as InboxState
  if (!STATES.includes(state)) throw new QueryError(`There is no state ${state}.`)
  const page = await inbox.list({ state, limit: PAGE, after: after || undefined })
  const kind = query.get('kind')
  const search = query.get('search')?.toLowerCase() ?? ''
  const entries = page
    .filter((entry) => (!kind || entry.kind === kind) && holds(entry, search))
    .map(toSummary)
  const last = page.at(-1)
  if (last) return { entries, after: `${state}:${last.id}` }
  const next = wanted === 'all' && STATES[STATES.indexOf(state) + 1]
  return { entries, after: next ? `${next}:` : null }
}

async function replay(inbox: Inbox, query: Query) {
  const failed: { id: string; message: string }[] = []
  readId(query)
  const ids = query.getAll('id')
  for (const id of ids) {
    try {
      await inbox.replay(id)
    } catch (error) {
      // The others are replayed even if one is gone or being handled.
      if (!isPayhookError(error) || error.status >= 500) throw error
      failed.push({ id, message: error.message })
    }
  }
  return { replayed: ids.length - failed.length, failed }
}

function holds(entry: InboxEntry, search: string): boolean {
  if (search === '') return true
  const body = Buffer.from(entry.rawBody).toString()
  return [body, entry.id, entry.signature, entry.error].some((text) => text?.toLowerCase().includes(search))
}

function toSummary({ rawBody, ...entry }: InboxEntry) {
  return { ...entry, kind: clip(entry.kind), error: clip(entry.error), subject: readSubject(rawBody) }
}

/** The list has no bodies, so a kind or an error must not be as long as one. */
function clip(text: string | null): string | null {
  return text && text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
}

function toDetail(entry: InboxEntry) {
  const bodyBase64 = Buffer.from(entry.rawBody).toString('base64')
  return { ...toSummary(entry), error: entry.error, bodyBase64, event: toEvent(entry.rawBody) }
}

/** The event that `parse` returns, or why it throws. */
function toEvent(rawBody: Uint8Array): { json: string } | { error: string } {
  try {
    return { json: JSON.stringify(parse(rawBody)) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}
