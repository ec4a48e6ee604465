import { fromIdempotencyKey, isUuid } from '../../../src/inbox/entry-ids.ts'
import { type EntryRow, STATES_OF, toEntry } from '../../../src/inbox/entry-row.ts'
import { entryNotFound, MAX_PAGE_BYTES, toCounts } from '../../../src/inbox/entry-rules.ts'
import type { EngineHealth } from '../../../src/inbox/health.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { CheckedInboxOptions } from '../../../src/inbox/inbox-options.ts'
import type { WorkerOptions } from '../../../src/inbox/worker.ts'
import type { Database } from './database.ts'
import { toArguments } from './puts.ts'
import { STATE, toMs } from './schema.ts'

/** How many rows a transaction deletes, which takes a few milliseconds. */
const DELETED_AT_ONCE = 500
/** Up to so many completed entries are counted, which takes a few milliseconds. */
const COMPLETED_COUNTED = 10_000
/** After that, `health` uses another connection: a server that lost power is silent for long. */
const HEALTH_LIMIT_MS = 2_000
/** The others are counted, however many they are. */
const ALL = 2 ** 53

/** The columns that an entry is read from: of a notification `n` and its work `w`. */
const ENTRY = `w.id, w.repeats, n.received_at, encode(n.signature, 'hex') as signature,
  n.client_id, n.subject, w.key, n.source, n.traceparent, n.body, w.state, w.attempts, w.error,
  ${toMs('w.due_at')} as due_at, ${toMs('w.started_at')} as started_at, ${toMs('w.finished_at')} as finished_at`

const isIn = (state: InboxState) => `state in (${STATES_OF[state].join(', ')})`

type Kept = Pick<CheckedInboxOptions, 'keepCompletedSeconds' | 'dedupeSeconds'>

export function createEntries(database: Database, kept: Kept, onDue: () => void) {
  const { schema, query } = database
  const from = `from ${schema}.work w join ${schema}.notification n using (id)`

  async function read(ids: string, values: readonly unknown[]): Promise<InboxEntry[]> {
    // The first entries that fit a page in bytes, and at least one.
    const rows = await query<EntryRow>(
      `with page as (${ids}), sized as (
         select id, sum(octet_length(body)) over (order by id) as bytes, row_number() over (order by id) as number
         from page join ${schema}.notification using (id)
       )
       select ${ENTRY} ${from} join sized using (id) where bytes <= ${MAX_PAGE_BYTES} or number = 1 order by id`,
      values,
    )
    return rows.map((row) => toEntry(row))
  }

  async function pause(reason: string | null): Promise<void> {
    await query(
      `with told as (update ${schema}.worker set is_paused = $1::text is not null)
       insert into ${schema}.inbox as i (pause_reason, paused_at)
         values ($1, case when $1::text is not null then now() end)
       on conflict (version) do update set pause_reason = $1,
         paused_at = case when $1::text is not null then coalesce(i.paused_at, now()) end`,
      [reason],
    )
  }

  return {
    async identity() {
      // What was restored from a dump has the same mark.
      const text = `select concat(mark, ' ', tableoid::oid) as identity from ${schema}.inbox`
      const [row] = await query<{ identity: string }>(text)
      return String(row?.identity)
    },
    async counts() {
      const [row] = await query<Record<InboxState, number>>(
        `select * from ${schema}.counts(${ALL}, ${COMPLETED_COUNTED})`,
      )
      return toCounts((state) => row?.[state] ?? 0)
    },
    async health() {
      const text = `select answer from ${schema}.health()`
      const [row] = await query<{ answer: EngineHealth }>(text, [], HEALTH_LIMIT_MS)
      return (row as { answer: EngineHealth }).answer
    },
    list: async (state, limit, after) =>
      await read(`select id from ${schema}.work where ${isIn(state)} and id > $1 order by id limit $2`, [
        toStart(after),
        limit,
      ]),
    async find(subject, state, limit, after) {
      return await read(
        `select id from ${schema}.notification join ${schema}.work using (id)
         where subject = $1 and id > $2 ${state === undefined ? '' : `and ${isIn(state)}`} order by id limit $3`,
        [subject, toStart(after), limit],
      )
    },
    async get(id) {
      if (!isUuid(id)) return undefined
      const [row] = await query<EntryRow>(`select ${ENTRY} ${from} where id = $1`, [id])
      return row && toEntry(row)
    },
    async import(entries) {
      await query(`select from ${schema}.put(null, null, $1, $2)`, toArguments(entries, toState))
      onDue()
    },
    async remove(ids) {
      const text = `select ${schema}.remove($1) as removed`
      const [row] = await query<{ removed: number }>(text, [ids.filter(isUuid)])
      return row?.removed ?? 0
    },
    pause,
    async resume() {
      await pause(null)
      onDue()
    },
    async restart(state, restarts) {
      const changed = await query(
        `update ${schema}.work set state = ${STATE.waiting}, attempts = 0, crashes = 0, error = null,
           due_at = case when given.due_at >= 0 then to_timestamp(given.due_at / 1000)
             when ${isIn('waiting')} then least(work.due_at, now()) else now() end,
           finished_at = null, repeats = repeats + (state = ${STATE.completed} and error is null)::int
         from unnest($1::uuid[], $2::float8[]) as given (id, due_at)
         where work.id in (select id from ${schema}.work where id = any($1) and ${isIn(state)} order by id for update)
           and work.id = given.id
         returning 1 as one`,
        [restarts.map(({ id }) => id), restarts.map(({ dueAt = -1 }) => dueAt)],
      )
      onDue()
      return changed.length
    },
    ...createPruning(database, kept),
  } satisfies Partial<InboxEngine> & Pick<WorkerOptions, 'tidy'>
}

/** @throws InboxError `entry_not_found` if no entry can have the id */
function toStart(after = '00000000-0000-0000-0000-000000000000'): string {
  if (!isUuid(after)) throw entryNotFound(after)
  return after
}

function createPruning({ schema, query }: Database, { keepCompletedSeconds, dedupeSeconds }: Kept) {
  /** Oldest first, in small transactions. Leaves what is locked. An array keeps the planner from the rest. */
  async function deleteFrom(table: string, key: string, time: string, condition: string, then = '') {
    const text = `with gone as (
        delete from ${schema}.${table} where ${key} = any(array(
          select ${key} from ${schema}.${table} where ${condition}
          order by ${time} limit ${DELETED_AT_ONCE} for update skip locked
        )) returning ${key}
      ) ${then} select from gone`
    for (let total = 0; ; ) {
      const { length } = await query(text)
      total += length
      if (length < DELETED_AT_ONCE) return total
    }
  }

  const deleteFinished = (state: 'completed' | 'dead', before: string) =>
    deleteFrom(
      'work',
      'id',
      'finished_at',
      `state = ${STATE[state]} and finished_at < ${before}`,
      `, bodies as (delete from ${schema}.notification where id = any(array(select id from gone)))`,
    )

  return {
    prune: (state: 'completed' | 'dead', olderThan: Date) =>
      deleteFinished(state, `to_timestamp(${olderThan.getTime()} / 1000.0)`),
    async tidy(): Promise<void> {
      // By PostgreSQL's clock, as one machine may boot with another time.
      await deleteFinished('completed', `now() - interval '${keepCompletedSeconds} s'`)
      // What is in the window of another process has not expired.
      const left = `least(now() - interval '${dedupeSeconds} s', (select max(stored_at) from ${schema}.recent))`
      await deleteFrom('recent', 'signature', 'stored_at', `stored_at < ${left} and expires_at < now()`)
      await deleteFrom('claimed', 'key', 'claimed_at', `claimed_at < now() - interval '1 year'`)
    },
  }
}

/** Times are relative, as clocks differ. */
function toState({ state, attempts, error, idempotencyKey, dueAt, finishedAt, receivedAt }: InboxEntry) {
  const now = Date.now()
  const isFinished = state === 'dead' || state === 'completed'
  return {
    state: isFinished ? STATE[state] : STATE.waiting,
    attempts,
    error,
    repeats: fromIdempotencyKey(idempotencyKey).repeats,
    due_in: dueAt && dueAt.getTime() - now,
    finished_in: isFinished ? (finishedAt ?? receivedAt).getTime() - now : null,
  }
}
