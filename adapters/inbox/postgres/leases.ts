import { fromIdempotencyKey, toIdempotencyKey } from '../../../src/inbox/entry-ids.ts'
import { type LeaseRow, toLease } from '../../../src/inbox/entry-row.ts'
import { concurrencyKeyOf } from '../../../src/inbox/entry-rules.ts'
import { SUSPECT_CRASHES } from '../../../src/inbox/isolation.ts'
import type { Lease, LeaseStore, Outlook, Settlement } from '../../../src/inbox/lease-store.ts'
import { isPayhookError } from '../../../src/is-payhook-error.ts'
import { settlesWithin } from '../../../src/time-limit.ts'
import type { Database } from './database.ts'
import { STATE } from './schema.ts'
import { CLOSE_LIMIT_MS, WorkerRow } from './worker-row.ts'

/** Larger batches are no faster, and delay puts. */
const TAKEN_AT_ONCE = 100
/** How many entries are parked in a transaction, which takes a few milliseconds. */
const PARKED_AT_ONCE = 500
/** When to ask again for what is due, but locked by somebody who takes, parks or releases it. */
const LOCKED_PAUSE_MS = 20
/** The longest pause before a result is sent again: a lost transaction can lock its entry for hours. */
const MAX_LOCKED_PAUSE_MS = 1_000

/** How long a start waits to know whether PostgreSQL accepts the worker. */
const START_LIMIT_MS = 2_000

type Result = ReturnType<typeof toResult>

interface LastRow {
  readonly id: null
  readonly due_in: number | null
  readonly must_park: boolean
  readonly unsettled: readonly string[]
}

export class PostgresLeases implements LeaseStore {
  readonly #database: Database
  readonly #oneAtATime: boolean
  readonly #onDue: () => void
  #row: WorkerRow | undefined
  /** The worker's leases, by their idempotency keys: an entry that was replayed is another one. */
  readonly #held = new Map<string, Lease>()
  /** Results of leases that it holds, since their entries were locked. */
  #unsettled: readonly Result[] = []
  #lockedPauseMs = LOCKED_PAUSE_MS
  /** Whether a call failed, which may have given the worker what it does not know. */
  #mayHaveLost = false
  #mustPark = false
  #dueAt = Number.POSITIVE_INFINITY
  #lastCall: Promise<unknown> = Promise.resolve()

  constructor(database: Database, oneAtATime: boolean, onDue: () => void) {
    this.#database = database
    this.#oneAtATime = oneAtATime
    this.#onDue = onDue
  }

  /** The worker of this process, while it is started and PostgreSQL knows it. */
  get workerId(): number | undefined {
    return this.#row?.id
  }

  async open(onLost = () => {}): Promise<void> {
    this.#forget()
    const row = new WorkerRow(this.#database, this.#oneAtATime, {
      onDue: this.#onDue,
      onBeat: ({ due_in, held }) => {
        if (this.#unsettled.length === 0) this.#setDue(due_in)
        // In turn, so that a response that is under way is known by then.
        if (this.#mayHaveLost || held > this.#held.size)
          this.#inTurn((id) => this.#returnUnknown(id)).catch(() => {})
      },
      onLost: () => {
        this.#forget()
        onLost()
      },
    })
    this.#row = row
    const registered = row.register()
    // The worker waits for the end of an outage.
    if (!(await settlesWithin(registered, START_LIMIT_MS))) return
    await registered.catch(async (error) => {
      if (!isPayhookError(error)) return
      await row.release()
      throw error
    })
  }

  settleAndLease(settlements: readonly Settlement[], limit: number): Promise<Lease[]> {
    return this.#inTurn(async (worker) => {
      const text = `select ${this.#database.schema}.park(${PARKED_AT_ONCE}) as parked`
      const [row] = this.#mustPark && limit > 0 ? await this.#database.query<{ parked: number }>(text) : []
      const leases = await this.#settleAndTake(worker, settlements, Math.min(limit, TAKEN_AT_ONCE), false)
      const isLocked = limit > 0 && leases.length === 0 && (row?.parked === 0 || !this.#mustPark)
      if (isLocked) this.#dueAt = Math.max(this.#dueAt, Date.now() + LOCKED_PAUSE_MS)
      return leases
    })
  }

  async look(): Promise<Outlook> {
    // While all handlers are busy, there may be no other call that stores them.
    if (this.#unsettled.length > 0) await this.settleAndLease([], 0)
    return await (this.#row as WorkerRow).look()
  }

  leaseSuspect(): Promise<Lease | undefined> {
    return this.#inTurn(async (worker) => (await this.#settleAndTake(worker, [], 1, true))[0])
  }

  recover(): Promise<Lease[]> {
    return this.#inTurn(async (worker) => {
      const text = `select * from ${this.#database.schema}.recover(${worker})`
      const rows = await this.#database.query<LeaseRow>(text)
      return this.#row?.id === worker ? this.#hold(rows) : []
    })
  }

  async nextDueAt(): Promise<number | undefined> {
    return this.#dueAt === Number.POSITIVE_INFINITY ? undefined : this.#dueAt
  }

  async close(): Promise<void> {
    this.#database.rollBack()
    if (this.#unsettled.length > 0) this.settleAndLease([], 0).catch(() => {})
    await settlesWithin(this.#lastCall, CLOSE_LIMIT_MS)
    await this.#row?.release()
  }

  async #settleAndTake(
    worker: number,
    settlements: readonly Settlement[],
    most: number,
    suspects: boolean,
  ): Promise<Lease[]> {
    const settled = settlements.filter(({ lease }) => this.#held.get(lease.idempotencyKey) === lease)
    const results = [...this.#unsettled, ...settled.map(toResult)]
    const rows = await this.#database.query<LeaseRow | LastRow>(
      `select * from ${this.#database.schema}.settle_and_take($1, $2, $3, $4, $5)`,
      [worker, this.#oneAtATime, most, JSON.stringify(results), suspects],
    )
    const last = rows.pop() as LastRow | undefined
    if (last === undefined) {
      this.#row?.lose(worker)
      return []
    }
    // A heartbeat may have told meanwhile that others took over.
    if (this.#row?.id !== worker) return []
    const left = new Set(last.unsettled)
    this.#unsettled = results.filter(({ id }) => left.has(id))
    for (const { id, repeats } of results) if (!left.has(id)) this.#held.delete(toIdempotencyKey(id, repeats))
    this.#mustPark = last.must_park
    this.#lockedPauseMs =
      left.size > 0 ? Math.min(this.#lockedPauseMs * 2, MAX_LOCKED_PAUSE_MS) : LOCKED_PAUSE_MS
    this.#setDue(left.size > 0 ? Math.min(last.due_in ?? Infinity, this.#lockedPauseMs) : last.due_in)
    return this.#hold(rows as LeaseRow[])
  }

  #forget(): void {
    this.#held.clear()
    this.#unsettled = []
  }

  /** What the worker was given in a response that was lost goes back: its handlers never began. */
  async #returnUnknown(worker: number): Promise<void> {
    const { schema, query } = this.#database
    this.#mayHaveLost = false
    const rows = await query<LeaseRow>(
      `select id, repeats, key, attempts, crashes from ${schema}.work
       where state = ${STATE.active} and worker = $1`,
      [worker],
    )
    const isKnown = ({ id, repeats }: LeaseRow) =>
      this.#held.has(toIdempotencyKey(id, repeats)) || this.#unsettled.some((result) => result.id === id)
    const unknown = rows.filter((row) => !isKnown(row))
    if (unknown.length === 0) return
    const returned = unknown.map((row) => ({
      ...row,
      attempt: row.attempts,
      ...{ state: stateAfter(row.crashes), attempts: row.attempts - 1, error: null, delay: 0 },
    }))
    this.#unsettled = [...this.#unsettled, ...returned]
    await this.#settleAndTake(worker, [], 0, false)
  }

  /** One call at a time, so that what it returns is known before the next one asks what is held. */
  #inTurn<Value>(call: (worker: number) => Promise<Value>): Promise<Value> {
    const row = this.#row as WorkerRow
    const result = this.#lastCall.then(async () => call(await row.register()))
    this.#lastCall = result.catch(() => {
      this.#mayHaveLost = true
    })
    return result
  }

  #hold(rows: readonly LeaseRow[]): Lease[] {
    const leases = rows.map((row) => toLease(row))
    for (const lease of leases) this.#held.set(lease.idempotencyKey, lease)
    return leases
  }

  #setDue(inMs: number | null): void {
    this.#dueAt = inMs === null ? Number.POSITIVE_INFINITY : Date.now() + inMs
  }
}

/** A result as the function `settle_and_take` reads it. `delay` is in how many milliseconds it is due. */
function toResult(settlement: Settlement) {
  const { lease, to } = settlement
  const { id, attempt } = lease
  const isOver = to === 'completed' || to === 'dead'
  const { crashes, delayMs } = isOver ? { crashes: lease.crashes, delayMs: 0 } : settlement
  return {
    id,
    repeats: fromIdempotencyKey(lease.idempotencyKey).repeats,
    attempt,
    key: concurrencyKeyOf(lease),
    state: isOver ? STATE[to] : stateAfter(crashes),
    attempts: to === 'return' ? attempt - 1 : attempt,
    crashes,
    error: (to === 'completed' ? settlement.note : settlement.error) ?? null,
    delay: Math.ceil(delayMs),
  }
}

function stateAfter(crashes: number): number {
  return crashes >= SUSPECT_CRASHES ? STATE.suspect : STATE.waiting
}
