import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg, { type Client, type ClientConfig, type CustomTypesConfig, type Pool, type PoolClient } from 'pg'
import { misconfigured } from '../../../src/inbox/entry-rules.ts'
import { isPayhookError } from '../../../src/is-payhook-error.ts'
import { settlesWithin, withTimeLimit } from '../../../src/time-limit.ts'
import { isMigrated, migrate, quoteSchema } from './migrations.ts'

const CONNECT_LIMIT_MS = 2_000
/** Without it, calls to a server that vanished would hang until TCP gives up, for a quarter of an hour. */
export const QUERY_LIMIT_MS = 30_000
const READY_LIMIT_MS = 10_000
const CLOSE_LIMIT_MS = 5_000
const REPEAT_LIMIT_MS = 2_000
/** What transactions leave of a pool, but at most half: two connections to put, and one for the worker. */
const CONNECTIONS_LEFT = 3

/** What stored nothing: too many connections for now, or a deadlock that another transaction won. */
const REPEATED: ReadonlySet<string> = new Set(['53300', '40P01'])
/** Of a schema, a table and a function. */
const MISSING: ReadonlySet<string> = new Set(['3F000', '42P01', '42883'])

const { BOOL, BYTEA, FLOAT8, INT2, INT4, INT8, JSON: JSON_TYPE } = pg.types.builtins

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [BOOL]: (text) => text === 't',
  [BYTEA]: pg.types.getTypeParser(BYTEA),
  [FLOAT8]: Number,
  [INT2]: Number,
  [INT4]: Number,
  [INT8]: Number,
  [JSON_TYPE]: (text) => JSON.parse(text),
}

/** How the inbox reads the types of its columns: the application may have parsers of its own. */
export const TYPES: CustomTypesConfig = { getTypeParser: (type: number) => PARSERS[type] ?? String }

interface DatabaseOptions {
  readonly connectionString?: string | undefined
  /** The application's, which it closes. */
  readonly pool?: Pool | undefined
  readonly schema: string
  readonly create: boolean
  readonly max: number
}

type Turns = <Value>(run: () => Promise<Value>) => Promise<Value>

/** Several inboxes may share a pool. */
const turnsOfPools = new WeakMap<Pool, Turns>()

/** PostgreSQL, with the schema of an inbox. It opens no connection before one is needed. */
export class Database {
  /** As it is written in a statement. */
  readonly schema: string
  /** Where to send a notification that something is due. */
  readonly channel: string
  /** Tells the inbox's own notifications from those of others. */
  readonly instance = randomUUID()
  readonly #options: DatabaseOptions
  readonly #settings: ClientConfig
  readonly #pool: Pool
  readonly #turns: Turns
  /** How to give back each connection that is in use. */
  readonly #inUse = new Set<(destroy: boolean) => void>()
  #preparing: Promise<void> | undefined

  constructor(options: DatabaseOptions) {
    const { connectionString, pool, schema, max } = options
    this.#options = options
    this.schema = quoteSchema(schema)
    this.channel = `payhook ${schema}`
    this.#settings = pool?.options ?? {
      connectionString,
      application_name: 'payhook',
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      query_timeout: QUERY_LIMIT_MS,
      keepAlive: true,
    }
    this.#pool = pool ?? new pg.Pool({ ...this.#settings, max, allowExitOnIdle: true })
    // Without a listener, an error of an idle connection would end the process. Calls report the same errors.
    if (pool === undefined) this.#pool.on('error', ignore)
    const { max: size = max } = this.#pool.options
    const forTransactions = Math.max(size - CONNECTIONS_LEFT, Math.ceil(size / 2))
    this.#turns = turnsOfPools.get(this.#pool) ?? createTurns(forTransactions)
    turnsOfPools.set(this.#pool, this.#turns)
  }

  /** Runs a statement, which is a transaction of its own. */
  readonly query = async <Row>(
    text: string,
    values: readonly unknown[] = [],
    limitMs = QUERY_LIMIT_MS,
  ): Promise<Row[]> => {
    await this.#ready()
    const query = { text, values: values as unknown[], types: TYPES, query_timeout: limitMs }
    try {
      const result = repeated(() => this.#pool.query(query))
      return (await respondsWithin(limitMs, result)).rows as Row[]
    } catch (error) {
      // Somebody may have dropped the schema, or migrated it.
      if (MISSING.has(codeOf(error))) this.#preparing = undefined
      throw explain(error)
    }
  }

  /**
   * Runs with a connection of the pool, once enough others are left to store notifications meanwhile. If that
   * fails, its transaction is rolled back.
   */
  async withClient<Value>(run: (client: PoolClient) => Promise<Value>): Promise<Value> {
    await this.#ready()
    return await this.#turns(() => this.#withClient(run))
  }

  /** Rolls back what is left open by handlers that `stop()` abandoned. It would keep the process alive. */
  rollBack(): void {
    for (const giveBack of this.#inUse) giveBack(true)
  }

  createClient(): Client {
    return new pg.Client(this.#settings)
  }

  async close(): Promise<void> {
    // A server that does not respond must not keep the process from ending.
    if (this.#options.pool === undefined) await settlesWithin(this.#pool.end(), CLOSE_LIMIT_MS)
  }

  /** Resolves once the schema is there. The next call repeats what failed. */
  #ready(): Promise<void> {
    this.#preparing ??= respondsWithin(READY_LIMIT_MS, this.#prepare()).catch((error) => {
      this.#preparing = undefined
      throw explain(error)
    })
    return this.#preparing
  }

  async #prepare(): Promise<void> {
    const { schema, create } = this.#options
    await this.#withClient(async (client) => {
      await assertEncoding(client)
      if (await isMigrated(client, schema)) return
      if (create) return await migrate(client, schema)
      const other = 'Name another with the option "schema", or in a URL with ?schema=NAME.'
      throw misconfigured(`There is no inbox in the schema "${schema}". ${other}`)
    })
  }

  async #withClient<Value>(run: (client: PoolClient) => Promise<Value>): Promise<Value> {
    const client: PoolClient & { unref?(): void } = await repeated(() => this.#connect())
    const { release } = client
    // A handler may release its `tx` out of habit: others must not get it amid its transaction.
    client.release = ignore
    const giveBack = (destroy: boolean) => {
      if (!this.#inUse.delete(giveBack)) return
      // A server that is silent does not respond to the end of the connection, either.
      if (destroy) client.unref?.()
      release(destroy)
    }
    this.#inUse.add(giveBack)
    let isUsable = true
    try {
      return await run(client)
    } catch (error) {
      isUsable = await respondsWithin(CONNECT_LIMIT_MS, client.query('rollback')).then(
        () => true,
        () => false,
      )
      throw error
    } finally {
      client.off('error', ignore)
      giveBack(!isUsable)
    }
  }

  /** Its errors are ignored, as the query that needs it fails. */
  #connect(): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      this.#pool.connect((error, client) => {
        // At once, as a server that crashes may send its last error together with its greeting.
        if (client === undefined) return reject(error)
        resolve(client.on('error', ignore))
      })
    })
  }
}

/** @throws InboxError `inbox_misconfigured` if the database cannot store any text, such as that of an error */
async function assertEncoding(client: PoolClient): Promise<void> {
  const { rows } = await client.query(
    `select from pg_database where datname = current_database()
     and pg_encoding_to_char(encoding) not in ('UTF8', 'SQL_ASCII')`,
  )
  if (rows.length > 0) throw misconfigured('The encoding of the database must be UTF8.')
}

function ignore(): void {}

/** @returns what runs as many at the same time, and the others in their order */
function createTurns(free: number): Turns {
  const waiting: (() => void)[] = []
  return async (run) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}

async function repeated<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const until = performance.now() + REPEAT_LIMIT_MS; ; await delay(10)) {
    try {
      return await work()
    } catch (error) {
      if (!REPEATED.has(codeOf(error)) || performance.now() > until) throw error
    }
  }
}

export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code)
}

const rejected = (message: string) => `PostgreSQL rejected the connection: ${message}.`

const ADVICE: Readonly<Record<string, (message: string) => string>> = {
  ERR_INVALID_URL: () =>
    'pg cannot read the URL of PostgreSQL. Does it name one host, and are special characters in its password percent-encoded?',
  '42501': (message) =>
    `The role lacks a right: ${message}. "payhook inbox schema" prints what a role with more rights has to run.`,
  '3D000': rejected,
  '28000': rejected,
  '28P01': rejected,
  // Errors of PgBouncer itself have this code.
  '08P01': (message) =>
    `PgBouncer rejected the connection: ${message}. Use the settings in docs/postgres.md, or connect to PostgreSQL directly.`,
}

/** Adds what to do about an error, if that is known. */
function explain(cause: unknown): unknown {
  const message = String((cause as Error | null)?.message)
  const advice = isPayhookError(cause) ? undefined : ADVICE[codeOf(cause)]?.(message)
  // PgBouncer has the same code if its server is down.
  const isOutage = codeOf(cause) === '08P01' && !/startup parameter|pooling mode/.test(message)
  return advice === undefined || isOutage ? cause : misconfigured(advice, cause)
}

export function respondsWithin<Value>(limitMs: number, response: Promise<Value>): Promise<Value> {
  return withTimeLimit(response, limitMs, () => new Error(`PostgreSQL did not respond within ${limitMs} ms.`))
}
