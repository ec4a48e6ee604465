import type { Outlook } from '../../../src/inbox/lease-store.ts'
import { settlesWithin, withTimeLimit } from '../../../src/time-limit.ts'
import { type Database, misconfigured } from './database.ts'
import { openSession, type Session } from './session.ts'

/** How often a worker asks what there is to do, which is its heartbeat, too. */
const BEAT_MS = 1_000
/** The same if nothing tells it what others have stored. */
const POLL_MS = 250
const BEAT_LIMIT_MS = 2_000
/** How long after a start or an outage others are not taken for dead: they can send a heartbeat first. */
const PATIENCE_MS = 3_000
export const CLOSE_LIMIT_MS = 1_000
/** A process that handles notifications needs one for its session, and another one. */
const NEEDED_CONNECTIONS = 2

const NOTHING: Outlook = { isDue: false, isSuspectDue: false, mayRecover: false }

interface Beat {
  readonly is_alive: boolean
  readonly due_in: number | null
  readonly is_suspect_due: boolean
  readonly may_recover: boolean
  readonly held: number
}

interface Listeners {
  /** Called when an entry may have become due. */
  readonly onDue: () => void
  /** Called with the time in which the next entry is due, in milliseconds. */
  readonly onNextDue: (inMs: number | null) => void
  /** Called with how many leases the worker has in PostgreSQL. */
  readonly onHeld: (leases: number) => void
  /** Called if others took the worker for dead, and take over what it held. */
  readonly onLost: () => void
}

/**
 * Shows other processes that a worker is alive: a row with its heartbeat, which is one update for the process,
 * not one for each entry.
 */
export class WorkerRow {
  readonly #database: Database
  readonly #oneAtATime: boolean
  readonly #listeners: Listeners
  #id: number | undefined
  #session: Session | undefined
  #isOpen = true
  #intervalMs = BEAT_MS
  #beatAt = Number.NEGATIVE_INFINITY
  #patientUntil = performance.now() + PATIENCE_MS
  #registering: Promise<number> | undefined
  #asking: Promise<void> | undefined
  /** The last answer, until the worker has it. */
  #outlook = NOTHING

  constructor(database: Database, oneAtATime: boolean, listeners: Listeners) {
    this.#database = database
    this.#oneAtATime = oneAtATime
    this.#listeners = listeners
    this.#keepBeating()
  }

  get id(): number | undefined {
    return this.#id
  }

  /** Resolves to the number of the worker. One that was taken for dead gets another number. */
  register(): Promise<number> {
    this.#registering ??= this.#insert().catch((error) => {
      this.#registering = undefined
      this.#patientUntil = performance.now() + PATIENCE_MS
      throw error
    })
    return this.#registering
  }

  /** What there is to do, if it is time to ask. */
  async look(): Promise<Outlook> {
    const id = await this.register()
    if (performance.now() - this.#beatAt >= this.#intervalMs) await this.#ask(id)
    const outlook = this.#outlook
    this.#outlook = NOTHING
    return outlook
  }

  /** Others hold what the worker held, unless it has another number already. */
  lose(id: number): void {
    if (this.#id !== id) return
    this.#session?.close()
    this.#id = this.#registering = undefined
    this.#listeners.onLost()
  }

  async release(): Promise<void> {
    this.#isOpen = false
    this.#session?.close()
    if (this.#id === undefined) return
    const text = `delete from ${this.#database.schema}.worker where id = ${this.#id}`
    this.#id = undefined
    await settlesWithin(this.#database.query(text, [], CLOSE_LIMIT_MS), CLOSE_LIMIT_MS)
  }

  async #insert(): Promise<number> {
    await assertConnections(this.#database)
    const { schema } = this.#database
    const text = `insert into ${schema}.worker (is_paused) select paused_at is not null from ${schema}.inbox
      returning id::float8 as id`
    const [{ id }] = (await this.#database.query<{ id: number }>(text)) as [{ id: number }]
    this.#id = id
    if (!this.#isOpen) {
      await this.release()
      throw new Error('The inbox was stopped before it had a worker.')
    }
    this.#intervalMs = BEAT_MS
    this.#session = openSession(this.#database, id, this.#listeners.onDue, (reason) => {
      this.#intervalMs = POLL_MS
      warnOnce(reason)
    })
    return id
  }

  #ask(id: number): Promise<void> {
    this.#asking ??= this.#beat(id).finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #beat(id: number): Promise<void> {
    this.#beatAt = performance.now()
    const text = `select * from ${this.#database.schema}.beat(${id}, ${this.#oneAtATime})`
    const client = this.#session?.client()
    try {
      const late = () => new Error(`PostgreSQL did not respond within ${BEAT_LIMIT_MS} ms.`)
      const [beat] = client
        ? (await withTimeLimit(client.query<Beat>(text), BEAT_LIMIT_MS, late)).rows
        : await this.#database.query<Beat>(text, [], BEAT_LIMIT_MS)
      const { is_alive, due_in, is_suspect_due, may_recover, held } = beat as Beat
      if (!is_alive) this.lose(id)
      this.#listeners.onNextDue(due_in)
      this.#listeners.onHeld(held)
      this.#outlook = {
        isDue: due_in !== null && due_in <= 0,
        isSuspectDue: is_suspect_due,
        mayRecover: may_recover && performance.now() > this.#patientUntil,
      }
    } catch (error) {
      this.#patientUntil = performance.now() + PATIENCE_MS
      // A connection to a server that vanished says nothing for a quarter of an hour. The next one may work.
      client?.end().catch(() => {})
      throw error
    }
  }

  /** Even if the worker does not ask, as it waits for a connection. It reports an outage. */
  #keepBeating(): void {
    setTimeout(() => {
      if (!this.#isOpen) return
      const isTime = performance.now() - this.#beatAt >= BEAT_MS
      if (isTime && this.#id !== undefined) this.#ask(this.#id).catch(() => {})
      this.#keepBeating()
    }, BEAT_MS).unref()
  }
}

/** @throws InboxError `inbox_misconfigured` if the server allows too few connections to handle notifications */
async function assertConnections(database: Database): Promise<void> {
  const [row] = await database.query<{ most: number | null }>(
    `select least(nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as most from pg_roles, pg_database
     where rolname = current_user and datname = current_database()`,
  )
  const most = row?.most ?? null
  if (most === null || most >= NEEDED_CONNECTIONS) return
  throw misconfigured(
    `PostgreSQL allows ${most} connection(s); a process that handles notifications needs ${NEEDED_CONNECTIONS}.`,
  )
}

let isWarned = false

function warnOnce(reason: string): void {
  if (isWarned) return
  isWarned = true
  process.emitWarning(
    `payhook/postgres asks ${1_000 / POLL_MS} times a second for what other processes have stored, as it cannot listen: ${reason}.`,
    { type: 'PayhookWarning', code: 'not_listening' },
  )
}
