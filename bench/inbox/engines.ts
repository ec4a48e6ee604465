import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { InboxPlace } from '../../test/contracts/open-inbox.ts'
import type { RedisServer } from '../../test/contracts/redis-server.ts'
import { flags } from '../support/flags.ts'
import { startRedis } from '../support/redis-server.ts'

/** The engines of the inbox benchmarks, and the servers that were started for them. */
export interface Engines {
  /** A new folder in `TMPDIR`. It must be on a disk, as `fdatasync` is free in memory. */
  newFolder(): string
  /** `undefined` without `redis-server`. */
  readonly redis: { readonly everysec: RedisServer; readonly always: RedisServer } | undefined
  /** `undefined` without the PostgreSQL of `DATABASE_URL`. Every schema is dropped at the end. */
  readonly postgres: { readonly connectionString: string; newSchema(): string } | undefined
  [Symbol.asyncDispose](): Promise<void>
}

const DATABASE_URL = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test'

/** Whether `--engine` includes an engine. */
export function isWanted(engine: InboxPlace['engine']): boolean {
  return flags.engine === 'all' || flags.engine === engine
}

/** Starts the selected engines. Reports unavailable ones on standard error and omits them. */
export async function startEngines(): Promise<Engines> {
  const redis = isWanted('bullmq') ? await orNothing('redis-server', startBothRedis) : undefined
  const schemas: string[] = []
  const hasPostgres =
    isWanted('postgres') && (await orNothing('PostgreSQL', () => query('select 1'))) !== undefined
  const folder = mkdtempSync(join(tmpdir(), 'payhook-bench-inbox-'))
  return {
    newFolder: () => mkdtempSync(join(folder, 'store-')),
    redis,
    postgres: hasPostgres
      ? {
          connectionString: DATABASE_URL,
          newSchema() {
            const schema = `payhook_bench_${process.pid}_${schemas.length}`
            schemas.push(schema)
            return schema
          },
        }
      : undefined,
    async [Symbol.asyncDispose]() {
      for (const schema of schemas) await query(`drop schema if exists ${schema} cascade`)
      await redis?.everysec[Symbol.asyncDispose]()
      await redis?.always[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Where to create inboxes, for each engine. */
export function placesOf({
  newFolder,
  redis,
  postgres,
}: Engines): [name: string, newPlace: () => InboxPlace][] {
  const places: [string, () => InboxPlace][] = []
  if (isWanted('sqlite')) {
    places.push(['payhook SQLite', () => ({ engine: 'sqlite', path: join(newFolder(), 'inbox.db') })])
  }
  if (redis !== undefined) {
    const { host, port } = redis.everysec
    places.push(['payhook BullMQ', () => ({ engine: 'bullmq', host, port, queueName: randomUUID() })])
  }
  if (postgres !== undefined) {
    const { connectionString, newSchema } = postgres
    places.push(['payhook PostgreSQL', () => ({ engine: 'postgres', connectionString, schema: newSchema() })])
  }
  return places
}

async function startBothRedis() {
  return { everysec: await startRedis('everysec'), always: await startRedis('always') }
}

async function query(sql: string): Promise<unknown> {
  const client = new pg.Client(DATABASE_URL)
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

async function orNothing<Result>(name: string, start: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await start()
  } catch (error) {
    // In CI, a missing server is a failure.
    if (process.env.CI) throw error
    console.error(`${name} cannot be had, and its rows are left out: ${error}`)
    return undefined
  }
}
