import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { misconfigured } from '../../../src/inbox/entry-rules.ts'
import type { Outlook } from '../../../src/inbox/lease-store.ts'
import { settlesWithin } from '../../../src/time-limit.ts'
import { type Database, respondsWithin, TYPES } from './database.ts'
import { sessionLock } from './functions.ts'

/** How often a worker asks what there is to do, which is its heartbeat, too. */
const BEAT_MS = 1_000
/** The same while nothing tells it what others have stored. */
const POLL_MS = 250
const LISTEN_AGAIN_MS = 1_000
const BEAT_LIMIT_MS = 2_000
/** How long after a start, an outage or a suspension nobody is taken for dead: all can beat first. */
const PATIENCE_MS = 3_000
export const CLOSE_LIMIT_MS = 1_000
/** A process that handles notifications needs one for its session, and another one. */
const NEEDED_CONNECTIONS = 2

const NOTHING: Outlook = { isDue: false, isSuspectDue: false, mayRecover: false }

interface Beat {
  readonly is_alive: boolean
  /** Whether it comes late: others on this machine may have been suspended, too. */
  readonly was_silent: boolean
  /** In how many milliseconds the next entry is due. */
  readonly due_in: number | null
  readonly is_suspect_due: boolean
  readonly may_recover: boolean
  /** How many leases the worker has in PostgreSQL. */
  readonly held: number
}

interface Listeners {
  /** Called when an entry may have become due. */
  readonly onDue: () => void
  readonly onBeat: (beat: Beat) => void
  readonly onLost: () => void
}

/** What the types of pg do not have. */
type Session = Client & { readonly processID: number; unref(): void }

/** A row with a heartbeat shows that a worker is alive: one update for the process, not for each entry. */
export class WorkerRow {
  readonly #database: Database
  readonly #oneAtATime: boolean
  readonly #listeners: Listeners
  #id: number | undefined
  /** A connection of the worker's own: what it asks there waits for nobody. */
  #session: Client | undefined
  #isListening = false
  #isOpen = true
  #patientUntil = performance.now() + PATIENCE_MS
  #registering: Promise<number> | undefined
  /** What the last heartbeat told, until the worker has it. */
  #outlook = NOTHING
  /** Why the last heartbeat failed. */
  #failure: unknown

  constructor(database: Database, oneAtATime: boolean, listeners: Listeners) {
    this.#database = database
    this.#oneAtATime = oneAtATime
    this.#listeners = listeners
    void this.#keepBeating()
    void this.#keepListening()
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

  /** What there is to do, if a heartbeat has told since the last call. Rejects until one succeeds. */
  async look(): Promise<Outlook> {
    await this.register()
    if (this.#failure !== undefined) throw this.#failure
    const outlook = this.#outlook
    this.#outlook = NOTHING
    return outlook
  }

  /** Others hold what the worker held, unless it has another number already. */
  lose(id: number): void {
    if (this.#id !== id) return
    this.#session?.end().catch(() => {})
    this.#id = this.#registering = undefined
    this.#listeners.onLost()
  }

  async release(): Promise<void> {
    this.#isOpen = false
    this.#session?.end().catch(() => {})
    if (this.#id === undefined) return
    const text = `delete from ${this.#database.schema}.worker where id = ${this.#id}`
    this.#id = undefined
    await settlesWithin(this.#database.query(text, [], CLOSE_LIMIT_MS), CLOSE_LIMIT_MS)
  }

  async #insert(): Promise<number> {
    await assertConnections(this.#database)
    const { schema } = this.#database
    const isPaused = `exists (select from ${schema}.inbox where paused_at is not null)`
    const text = `insert into ${schema}.worker (is_paused) values (${isPaused}) returning id`
    const [{ id }] = (await this.#database.query<{ id: number }>(text)) as [{ id: number }]
    this.#id = id
    if (!this.#isOpen) {
      await this.release()
      throw new Error('The inbox was stopped before it had a worker.')
    }
    return id
  }

  /** Even while the worker does not look, as it waits for a connection. */
  async #keepBeating(): Promise<void> {
    const pause = () => delay(this.#isListening ? BEAT_MS : POLL_MS, undefined, { ref: false })
    for (; this.#isOpen; await pause()) if (this.#id !== undefined) await this.#beat(this.#id)
  }

  async #beat(id: number): Promise<void> {
    const text = `select * from ${this.#database.schema}.beat(${id}, ${this.#oneAtATime})`
    const session = this.#isListening ? this.#session : undefined
    try {
      const [beat] = session
        ? (await respondsWithin(BEAT_LIMIT_MS, session.query<Beat>({ text, types: TYPES }))).rows
        : await this.#database.query<Beat>(text, [], BEAT_LIMIT_MS)
      this.#failure = undefined
      if (this.#id !== id) return
      const { is_alive, was_silent, due_in, is_suspect_due, may_recover } = beat as Beat
      if (!is_alive) return this.lose(id)
      if (was_silent) this.#patientUntil = performance.now() + PATIENCE_MS
      this.#listeners.onBeat(beat as Beat)
      const isDue = due_in !== null && due_in <= 0
      const mayRecover = may_recover && performance.now() > this.#patientUntil
      this.#outlook = { isDue, isSuspectDue: is_suspect_due, mayRecover }
    } catch (error) {
      this.#patientUntil = performance.now() + PATIENCE_MS
      this.#failure = error
      if (session === undefined) return
      // A connection to a server that vanished says nothing for a quarter of an hour. The next one may work.
      this.#isListening = false
      session.end().catch(() => {})
    }
  }

  /**
   * Listens for what others have stored, in a session whose lock shows them that this process is there even if
   * it sends no heartbeat, as its event loop is blocked.
   */
  async #keepListening(): Promise<void> {
    let failed = (error: unknown) => warnOnce(String(error))
    for (; this.#isOpen; await delay(LISTEN_AGAIN_MS, undefined, { ref: false })) {
      await this.register().catch(() => {})
      if (this.#id === undefined) continue
      try {
        // This throws if a certificate that the URL names is missing.
        const session = this.#database.createClient() as Session
        this.#session = session
        if (!(await this.#listen(session, this.#id)))
          return warnOnce('there is a pooler such as PgBouncer in between')
        failed = () => {}
      } catch (error) {
        if (this.#id !== undefined) failed(error)
      } finally {
        this.#isListening = false
        await this.#session?.end().catch(() => {})
      }
    }
  }

  /**
   * Resolves to true once the session has been lost, and at once to false behind a pooler, which passes on no
   * notifications, and gives the session to others. It shows in the number of the server's process: another
   * one than the connection was told.
   */
  async #listen(session: Session, id: number): Promise<boolean> {
    const { channel, instance, schema } = this.#database
    const lost = new Promise((resolve) => session.once('end', resolve).on('error', resolve))
    session.on('notification', ({ payload }) => {
      if (payload !== instance) this.#listeners.onDue()
    })
    // One that is ended before does not connect.
    await Promise.race([session.connect(), lost])
    // A silent server does not answer its end, either. While the worker runs, its timers keep the process.
    session.unref()
    const { rows } = await session.query({ text: 'select pg_backend_pid() as pid', types: TYPES })
    if (rows[0].pid !== session.processID) return false
    // Shared, as an earlier session may still have it, for hours if the network swallowed its end.
    await session.query(`select pg_advisory_lock_shared(${sessionLock(schema, String(id))})`)
    await session.query(`listen "${channel}"`)
    this.#isListening = true
    // What was stored before.
    this.#listeners.onDue()
    await lost
    return true
  }
}

async function assertConnections(database: Database): Promise<void> {
  const [row] = await database.query<{ most: number | null }>(
    `select least(nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as most from pg_roles, pg_database
     where rolname = current_user and datname = current_database()`,
  )
  const most = row?.most ?? NEEDED_CONNECTIONS
  if (most >= NEEDED_CONNECTIONS) return
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
