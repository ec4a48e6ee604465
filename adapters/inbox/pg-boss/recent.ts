import { createIfMissing } from './create-if-missing.ts'
import type { SqlRunner } from './engine.ts'
import { insertLastStored } from './last-stored.ts'
import type { Queues } from './table.ts'

const TABLE = 'payhook_recent_delivery'
const PRUNE_BATCH = 5_000
/** PostgreSQL ends the transaction of a frozen process, which would otherwise block these deliveries. */
const IDLE_LIMIT_MS = 2_000

/**
 * Records which signatures were stored recently, by the clock of the database. pg-boss's own `singletonSeconds`
 * is not a sliding window.
 */
export class RecentDeliveries {
  readonly #table: string
  readonly #insertLastStored: string
  readonly #queue: string
  readonly #seconds: number
  #nextPruneAt = 0

  constructor({ schema, queue }: Queues, seconds: number) {
    this.#table = `${schema}.${TABLE}`
    this.#insertLastStored = insertLastStored(schema, '$1')
    this.#queue = queue
    this.#seconds = seconds
  }

  /**
   * Records deliveries, in the transaction that stores them. If all are duplicates, it must be rolled back.
   *
   * @returns those that are not duplicates
   */
  async add(transaction: SqlRunner, signatures: Iterable<string>): Promise<Set<string>> {
    const { rows } = await transaction.executeSql(
      `with last as (${this.#insertLastStored})
       insert into ${this.#table} as known (queue, signature, seen_at)
       select $1, decode(hex, 'hex'), now()
       from set_config('idle_in_transaction_session_timeout', '${IDLE_LIMIT_MS}', true), unnest($2::text[]) as hex
       on conflict (queue, signature) do update set seen_at = excluded.seen_at
       where known.seen_at <= now() - $3 * interval '1 second'
       returning encode(signature, 'hex') as hex`,
      // Sorted, so that all processes lock rows in the same order.
      [this.#queue, [...new Set(signatures)].sort(), this.#seconds],
    )
    return new Set((rows as { hex: string }[]).map(({ hex }) => hex))
  }

  /** Deletes records outside the window, unless that was done recently. */
  async prune(db: SqlRunner): Promise<void> {
    if (Date.now() < this.#nextPruneAt) return
    this.#nextPruneAt = Date.now() + Math.max(1_000, (this.#seconds * 1_000) / 4)
    for (let deleted = PRUNE_BATCH; deleted === PRUNE_BATCH; ) {
      // A scan from the start of the table, where the oldest rows are, costs less than an index would cost
      // every put. Rows that a put has locked are skipped, so that neither waits for the other.
      const { rows } = await db.executeSql(
        `with old as (
           select ctid from ${this.#table}
           where queue = $1 and seen_at <= now() - $2 * interval '1 second'
           limit ${PRUNE_BATCH} for update skip locked
         )
         delete from ${this.#table} using old where ${this.#table}.ctid = old.ctid returning 1 as one`,
        [this.#queue, this.#seconds],
      )
      deleted = rows.length
    }
  }
}

/** Creates the table in pg-boss's schema if it is missing. */
export async function createRecentTable(db: SqlRunner, schema: string): Promise<void> {
  const table = `${schema}.${TABLE}`
  await createIfMissing(
    db,
    table,
    `create table if not exists ${table} (
       queue text not null,
       signature bytea not null,
       seen_at timestamptz not null,
       primary key (queue, signature)
     )`,
  )
}
