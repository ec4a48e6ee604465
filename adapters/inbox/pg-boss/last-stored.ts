import { createIfMissing } from './create-if-missing.ts'
import type { SqlRunner } from './engine.ts'
import type { Queues } from './table.ts'

const PRUNE_MS = 10_000

/**
 * Records when something was last stored: the newest row of a table without an index. Each transaction that
 * stores adds a row, which costs a put less than to update one that all transactions would wait for.
 */
export class LastStored {
  readonly #schema: string
  readonly #queue: string
  #nextPruneAt = 0

  constructor({ schema, queue }: Queues) {
    this.#schema = schema
    this.#queue = queue
  }

  /** Adds a row after something was stored. Neither waits for the disk nor rejects. */
  async add(db: SqlRunner): Promise<void> {
    const text = `${insertLastStored(this.#schema, '$1')} from set_config('synchronous_commit', 'off', true)`
    await db.executeSql(text, [this.#queue]).catch(() => {})
  }

  /** Deletes all but the newest, unless that was done recently. */
  async prune(db: SqlRunner): Promise<void> {
    if (Date.now() < this.#nextPruneAt) return
    this.#nextPruneAt = Date.now() + PRUNE_MS
    const newest = selectLastStored(this.#schema, '$1')
    await db.executeSql(`delete from ${tableIn(this.#schema)} where queue = $1 and stored_at < (${newest})`, [
      this.#queue,
    ])
  }
}

/** A statement for the transaction that stores. */
export function insertLastStored(schema: string, queue: string): string {
  return `insert into ${tableIn(schema)} (queue, stored_at) select ${queue}, now()`
}

export function selectLastStored(schema: string, queue: string): string {
  return `select max(stored_at) from ${tableIn(schema)} where queue = ${queue}`
}

/** Creates the table in pg-boss's schema if it is missing. */
export async function createLastStoredTable(db: SqlRunner, schema: string): Promise<void> {
  const table = tableIn(schema)
  await createIfMissing(
    db,
    table,
    `create table if not exists ${table} (queue text not null, stored_at timestamptz not null)`,
  )
}

function tableIn(schema: string): string {
  return `${schema}.payhook_last_stored`
}
