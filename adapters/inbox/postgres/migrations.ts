import type { ClientBase } from 'pg'
import { tooNew } from '../../../src/inbox/entry-rules.ts'
import { countFunctions, removeFunction } from './entry-functions.ts'
import { leaseFunctions, putFunction, releaseFunction, workerFunctions } from './functions.ts'
import { createTables, type Functions } from './schema.ts'

/**
 * From version 1 on. A released one never changes: a change of a table or a function is a new version, which
 * also writes its number, and makes it the default.
 */
const MIGRATIONS: readonly ((schema: string) => string)[] = [
  (schema) =>
    `${createTables(schema)}\n${createFunctions(schema)}\ninsert into ${schema}.inbox default values;`,
]

const VERSION = MIGRATIONS.length

/** Of all processes that may migrate, one does. "phib". */
const LOCK = 0x70686962

export function quoteSchema(name: string): string {
  return `"${name}"`
}

export const SCHEMA_NAME = /^[A-Za-z_]\w{0,49}$/

/** For those whose migrations are reviewed. @param role what gets the rights to use the schema */
export function printSchema(name: string, role?: string): string {
  const schema = quoteSchema(name)
  const grantee = role && `"${role.replaceAll('"', '""')}"`
  return [
    'begin;',
    `create schema ${schema};`,
    ...MIGRATIONS.map((statements) => statements(schema)),
    ...(grantee
      ? [
          `grant usage on schema ${schema} to ${grantee};`,
          `grant select, insert, update, delete on all tables in schema ${schema} to ${grantee};`,
          `grant execute on all functions in schema ${schema} to ${grantee};`,
        ]
      : []),
    'commit;',
  ].join('\n')
}

/** Whether the schema has this version. @throws InboxError `inbox_too_new` if a newer payhook created it */
export async function isMigrated(sql: ClientBase, name: string): Promise<boolean> {
  return (await readVersion(sql, name)) === VERSION
}

/** Creates what is missing, in one transaction, which the caller rolls back if it fails. */
export async function migrate(sql: ClientBase, name: string): Promise<void> {
  const schema = quoteSchema(name)
  await sql.query('begin')
  await sql.query(`select pg_advisory_xact_lock(${LOCK}, hashtext('${name}'))`)
  const version = await readVersion(sql, name)
  // A role that may not create in the database can still use a schema that somebody else created for it.
  if (version === 0)
    await sql.query(`do $$ begin
      if to_regnamespace('${schema}') is null then create schema ${schema}; end if; end $$`)
  for (const statements of MIGRATIONS.slice(version)) await sql.query(statements(schema))
  await sql.query('commit')
}

async function readVersion(sql: ClientBase, name: string): Promise<number> {
  const schema = quoteSchema(name)
  // to_regclass() may not see yet what was created while this transaction waited for the lock.
  const found = await sql.query(
    `select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = '${name}' and relname = 'inbox'`,
  )
  if (found.rows.length === 0) return 0
  let { rows } = await sql.query(`select version::text from ${schema}.inbox`)
  // The schema was restored without its data, or its tables were truncated.
  if (rows.length === 0)
    ({ rows } = await sql.query(`insert into ${schema}.inbox default values
      on conflict (version) do update set version = excluded.version returning version::text`))
  const version = Number((rows[0] as { version: string }).version)
  if (version <= VERSION) return version
  throw tooNew(`The schema ${schema}`, version, VERSION)
}

/**
 * The functions that the inbox calls, one for each of its steps, since a call is one round trip, one
 * transaction and one commit. Their plans are cached by each connection without a named statement, which
 * PgBouncer would not keep. A statement inside sees what was committed until it begins, and not only until the
 * function did: who sees what, in `functions.ts`, depends on that, and so on read committed as isolation level.
 * Rows are given as JSON.
 *
 * The planner must use the indexes even if its statistics are missing or old, as they are after a burst, and
 * must not plan each call anew, which takes longer than most calls. Where it could still read a whole index, it
 * is given an array of ids, or looks up each one in a lateral query.
 */
function createFunctions(schema: string): string {
  const settings = [
    'set enable_seqscan = off set enable_bitmapscan = off set jit = off',
    'set plan_cache_mode = force_generic_plan',
  ].join(' ')
  const create = (functions: Functions, planned: string) =>
    Object.entries(functions).map(
      ([signature, body]) =>
        `create function ${schema}.${signature} language plpgsql ${planned} as $$\n#variable_conflict use_column${body}\n$$;`,
    )
  return [
    // The first one plans well without settings, and the second one is called with those of others.
    ...create({ ...putFunction(schema), ...releaseFunction(schema) }, ''),
    ...create(
      {
        ...leaseFunctions(schema),
        ...workerFunctions(schema),
        ...removeFunction(schema),
        ...countFunctions(schema),
      },
      settings,
    ),
  ].join('\n')
}
