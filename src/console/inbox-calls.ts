import { Buffer } from 'node:buffer'
import { readSubject, type Subject } from '../events/read-subject.ts'
import type { Inbox, InboxEntry, InboxState } from '../inbox/inbox.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { parse } from '../parse.ts'

/** Responses to the calls of the page. */
export type InboxResponses = { [Name in keyof Calls]: Json<Awaited<ReturnType<Calls[Name]>>> }

type Calls = typeof READS & typeof WRITES
/** Dates become ISO 8601. */
type Json<Value> = Value extends Date
  ? string
  : Value extends object
    ? { [Key in keyof Value]: Json<Value[Key]> }
    : Value
type Summary = ReturnType<typeof toSummary>
type Query = URLSearchParams

/** A call that is invalid or finds nothing. */
export class CallError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** In the order in which the page lists them. */
const STATES: readonly InboxState[] = ['dead', 'active', 'waiting', 'completed']
const PAGE = 200
const MAX_TEXT = 200
const MAX_PARSED_BYTES = 64 * 1_024

/** What the page reads. */
export const READS = {
  counts: async (inbox: Inbox) => ({ counts: await inbox.counts() }),
  list,
  entry: async (inbox: Inbox, query: Query) => {
    const entry = await inbox.get(readId(query))
    if (entry === undefined) throw new CallError(404, 'entry_not_found', 'There is no entry with this id.')
    return toDetail(entry)
  },
}

/** What the page changes. */
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
      throw new CallError(400, 'query_invalid', 'A date and the state completed or dead are needed.')
    return { pruned: await inbox.prune({ olderThan, state }) }
  },
}

function readId(query: Query): string {
  const id = query.get('id')
  if (!id) throw new CallError(400, 'query_invalid', 'An id is needed.')
  return id
}

/** A page of one state, or of all, one after the other. `after` is the start of the next page: a state and an id. */
async function list(inbox: Inbox, query: Query): Promise<{ entries: Summary[]; after: string | null }> {
  const wanted = query.get('state')
  const [start, after] = query.get('after')?.split(/:(.*)/s) ?? []
  const state = (start || (wanted === 'all' ? STATES[0] : wanted)) as InboxState
  if (!STATES.includes(state)) throw new CallError(400, 'query_invalid', `There is no state ${state}.`)
  const page = await inbox.list({ state, limit: PAGE, after: after || undefined })
  const kind = query.get('kind')
  const search = query.get('search')?.toLowerCase() ?? ''
  const entries = page
    .filter((entry) => (!kind || clip(entry.kind) === kind) && holds(entry, search))
    .map(toSummary)
  const last = page.at(-1)
  if (last) return { entries, after: `${state}:${last.id}` }
  const next = wanted === 'all' && STATES[STATES.indexOf(state) + 1]
  return { entries, after: next ? `${next}:` : null }
}

async function replay(
  inbox: Inbox,
  query: Query,
): Promise<{ replayed: number; failed: { id: string; message: string }[] }> {
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
  return { ...entry, kind: clip(entry.kind), error: clip(entry.error), subject: toSubject(rawBody) }
}

function toSubject(rawBody: Uint8Array): Subject {
  try {
    return rawBody.byteLength > MAX_PARSED_BYTES ? {} : readSubject(parse(rawBody).data)
  } catch {
    return {}
  }
}

/** The list has no bodies, so a kind or an error must not be as long as one. */
function clip(text: string | null): string | null {
  return text && text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text
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
