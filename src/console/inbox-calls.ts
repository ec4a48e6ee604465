import { Buffer } from 'node:buffer'
import type { Inbox, InboxEntry, InboxState } from '../inbox/inbox.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { parse } from '../parse.ts'
import type { EntryDetail, EntrySummary, InboxAnswers } from './inbox-answers.ts'

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

const STATES = ['waiting', 'active', 'completed', 'dead']
const PAGE = 200

/** What the page reads. */
export const READS = {
  counts: async (inbox: Inbox): Promise<InboxAnswers['counts']> => ({ counts: await inbox.counts() }),
  list,
  entry: async (inbox: Inbox, query: Query): Promise<EntryDetail> => {
    const entry = await inbox.get(query.get('id') ?? '')
    if (entry === undefined) throw new CallError(404, 'entry_not_found', 'There is no entry of this id.')
    return toDetail(entry)
  },
}

/** What the page changes. */
export const WRITES = {
  replay,
  'replay-dead': async (inbox: Inbox, query: Query): Promise<InboxAnswers['replay-dead']> => {
    const kind = query.get('kind')
    return { replayed: await inbox.replayDead(kind === null ? {} : { kind }) }
  },
  prune: async (inbox: Inbox, query: Query): Promise<InboxAnswers['prune']> => {
    const olderThan = new Date(query.get('olderThan') ?? '')
    const state = query.get('state')
    if (Number.isNaN(olderThan.getTime()) || (state !== 'completed' && state !== 'dead'))
      throw new CallError(400, 'query_invalid', 'A date and the state completed or dead are needed.')
    return { pruned: await inbox.prune({ olderThan, state }) }
  },
}

async function list(inbox: Inbox, query: Query): Promise<InboxAnswers['list']> {
  const state = query.get('state') ?? ''
  if (!STATES.includes(state)) throw new CallError(400, 'query_invalid', `There is no state ${state}.`)
  const after = query.get('after') ?? undefined
  const page = await inbox.list({ state: state as InboxState, limit: PAGE, after })
  const kind = query.get('kind')
  const search = query.get('search')?.toLowerCase() ?? ''
  const entries = page
    .filter((entry) => (!kind || entry.kind === kind) && holds(entry, search))
    .map(toSummary)
  return { entries, after: page.at(-1)?.id ?? null }
}

async function replay(inbox: Inbox, query: Query): Promise<InboxAnswers['replay']> {
  const failed: { id: string; message: string }[] = []
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

function toSummary(entry: InboxEntry): EntrySummary {
  const { id, kind, state, signature, receivedAt, attempts, error, dueAt, finishedAt, rawBody } = entry
  return {
    ...{ id, kind, state, signature, attempts, error },
    receivedAt: receivedAt.toISOString(),
    dueAt: dueAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
    size: rawBody.byteLength,
  }
}

function toDetail(entry: InboxEntry): EntryDetail {
  return {
    ...toSummary(entry),
    clientId: entry.clientId,
    bodyBase64: Buffer.from(entry.rawBody).toString('base64'),
    event: toEvent(entry.rawBody),
  }
}

function toEvent(rawBody: Uint8Array): EntryDetail['event'] {
  try {
    return { json: JSON.stringify(parse(rawBody), null, 2) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}
