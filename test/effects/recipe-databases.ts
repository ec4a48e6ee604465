import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { POSTGRES } from '../contracts/service.ts'

/** A new schema with the tables of the recipes. */
export async function createPostgres() {
  const schema = `payhook_effects_${randomUUID().replaceAll('-', '')}`
  const url = new URL(POSTGRES)
  url.searchParams.set('options', `-c search_path=${schema} -c application_name=${schema}`)
  const reader = new pg.Client({ connectionString: url.href })
  await reader.connect()
  await reader.query(`create schema ${schema}`)
  await reader.query(`${readTable('postgres.sql')}; create table effects (name text primary key)`)
  return {
    schema,
    url: url.href,
    async committed() {
      const receipts = await reader.query('select key as name from webhook_receipts order by 1')
      const effects = await reader.query('select name from effects order by 1')
      return { receipts: toNames(receipts.rows), effects: toNames(effects.rows) }
    },
    clear: () => reader.query('truncate webhook_receipts, effects'),
    /** Ends the other connections. Resolves when their sockets are closed. */
    async interrupt() {
      const others = 'from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()'
      await reader.query(`select pg_terminate_backend(pid, 10000) ${others}`, [schema])
      await reader.query('select 1')
    },
    async drop() {
      await reader.query(`drop schema ${schema} cascade`)
      await reader.end()
    },
  }
}

/** The same in a file. */
export function createSqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-effects-'))
  const path = join(folder, 'application.db')
  const reader = new DatabaseSync(path)
  reader.exec(`${readTable('sqlite.sql')}; create table effects (name text primary key)`)
  return {
    path,
    committed: async () => ({
      receipts: toNames(reader.prepare('select key as name from webhook_receipts order by 1').all()),
      effects: toNames(reader.prepare('select name from effects order by 1').all()),
    }),
    clear: () => reader.exec('delete from webhook_receipts; delete from effects'),
    drop() {
      reader.close()
      rmSync(folder, { recursive: true })
    },
  }
}

function readTable(file: string): string {
  return readFileSync(new URL(`recipes/${file}`, import.meta.url), 'utf8')
}

function toNames(rows: readonly { name?: unknown }[]): string[] {
  return rows.map(({ name }) => String(name))
}
