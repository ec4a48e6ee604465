import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { InboxPlace } from '../../test/contracts/open-inbox.ts'
import { createPostgresServer } from '../../test/contracts/postgres-server.ts'
import { startRedis } from '../support/redis-server.ts'

/** A server of its own that stores entries, and what it says about itself. */
export interface StorageServer {
  readonly processId: number
  /** Does what the server would put off until later, so that its processor time can be attributed. */
  catchUp(): Promise<void>
  read(): Promise<ServerState>
  /** What its sessions are doing now. */
  activities(): Promise<string[]>
  /** A new, empty inbox. */
  newPlace(): InboxPlace
  /** Deletes all inboxes. */
  clear(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface ServerState {
  /** What it has written to its log since its start, in bytes. */
  readonly logBytes: number
  /** What all inboxes occupy, in memory or in tables and indexes, in bytes. */
  readonly storedBytes: number
  /** Transactions that got an id. */
  readonly transactions: number
}

export interface ScaleEngine {
  readonly name: string
  readonly engine: 'bullmq' | 'postgres'
  /** Measures only what a receiver causes, as the rest hardly differs from that of another engine. */
  readonly onlyStores?: boolean
  start(): Promise<StorageServer>
}

export const scaleEngines: readonly ScaleEngine[] = [
  { name: 'Redis, everysec', engine: 'bullmq', start: () => startRedisServer('everysec') },
  { name: 'Redis, always', engine: 'bullmq', onlyStores: true, start: () => startRedisServer('always') },
  { name: 'PostgreSQL', engine: 'postgres', start: startPostgresServer },
]

async function startRedisServer(fsync: 'everysec' | 'always'): Promise<StorageServer> {
  const server = await startRedis(fsync)
  const { host, port, processId } = server
  const client = new Redis({ host, port })

  async function info(section: string, field: string): Promise<number> {
    return Number(new RegExp(`^${field}:(\\d+)\r?$`, 'm').exec(await client.info(section))?.[1])
  }

  return {
    processId,
    async catchUp() {},
    async read() {
      return {
        logBytes: await info('persistence', 'aof_current_size'),
        storedBytes: await info('memory', 'used_memory'),
        transactions: 0,
      }
    },
    activities: async () => [],
    // The inbox's default, not that of the tests.
    newPlace: () => ({ engine: 'bullmq', host, port, queueName: randomUUID(), lockSeconds: 10 }),
    clear: async () => void (await client.flushall()),
    async [Symbol.asyncDispose]() {
      client.disconnect()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Sessions of the inbox that have begun something. Those without a transaction do nothing. */
const ACTIVITIES = `select case
    when state <> 'active' then 'waits for its client'
    else coalesce('waits for ' || wait_event_type || ' ' || wait_event, 'computes')
  end as activity
  from pg_stat_activity where application_name = 'payhook' and state <> 'idle'`

async function startPostgresServer(): Promise<StorageServer> {
  const server = await createPostgresServer()
  await server.start()
  const { connectionString, processId } = server
  const client = new pg.Client(connectionString)
  await client.connect()
  const schemas: string[] = []
  const listed = () => schemas.map((schema) => `'${schema}'`).join()

  return {
    processId,
    async catchUp() {
      const { rows } = await client.query(
        `select oid::regclass as name from pg_class
         where relkind = 'r' and relnamespace::regnamespace::text in (${listed()})`,
      )
      for (const { name } of rows) await client.query(`vacuum analyze ${name}`)
      await client.query('checkpoint')
    },
    async read() {
      const { rows } = await client.query(
        `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as log,
           pg_snapshot_xmax(pg_current_snapshot())::text as next,
           sum(pg_total_relation_size(oid)) as stored
         from pg_class where relkind = 'r' and relnamespace::regnamespace::text in (${listed()})`,
      )
      const { log, next, stored } = rows[0]
      return { logBytes: Number(log), storedBytes: Number(stored), transactions: Number(next) }
    },
    async activities() {
      return (await client.query(ACTIVITIES)).rows.map(({ activity }) => activity)
    },
    newPlace() {
      const schema = `inbox_${schemas.length}`
      schemas.push(schema)
      return { engine: 'postgres', connectionString, schema }
    },
    async clear() {
      for (const schema of schemas) await client.query(`drop schema if exists ${schema} cascade`)
      await client.query('checkpoint')
    },
    async [Symbol.asyncDispose]() {
      await client.end()
      await server[Symbol.asyncDispose]()
    },
  }
}
