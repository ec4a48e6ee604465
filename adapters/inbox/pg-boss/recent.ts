import type { SqlRunner } from './engine.ts'

const TABLE = 'payhook_recent_delivery'
const PRUNE_BATCH = 5_000
/**
 * PostgreSQL ends the transaction of a frozen process, which would otherwise block these deliveries elsewhere.
 */
const IDLE_LIMIT_MS = 2_000

/** Records which deliveries were stored recently, by the clock of the database. */
export interface RecentDeliveries {
  /**
   * Records deliveries, in the transaction that stores them.
   *
   * @returns those that are not duplicates
   */
  add(transaction: SqlRunner, signatures: Iterable<string>): Promise<Set<string>>
  /** Deletes records outside the window, unless that was done recently. */
  prune(db: SqlRunner): Promise<void>
}

/**
 * Creates the table in pg-boss's schema if it is missing. pg-boss's own `singletonSeconds` is not a sliding
 * window.
 */
export async function createRecentTable(db: SqlRunner, schema: string): Promise<void> {
  const table = `${schema}.${TABLE}`
  const { rows } = await db.executeSql('select 1 where to_regclass($1) is not null', [table])
  // `create table if not exists` needs the right to create tables even if this one exists.
  if (rows.length > 0) return
  // One string is one transaction. Without the lock, two processes could conflict in PostgreSQL's catalog.
  await db.executeSql(
    `select pg_advisory_xact_lock(hashtextextended('${table}', 0));
     create table if not exists ${table} (
       queue text not null,
       signature bytea not null,
       seen_at timestamptz not null,
       primary key (queue, signature)
     )`,
  )
}

export function createRecentDeliveries(schema: string, queue: string, seconds: number): RecentDeliveries {
  const table = `${schema}.${TABLE}`
  let nextPruneAt = 0

  async function deleteSome(db: SqlRunner): Promise<boolean> {
    // A scan from the start of the table, where the oldest rows are, costs less than an index would cost every
    // put. Rows that a put has locked are skipped, so that neither waits for the other.
    const { rows } = await db.executeSql(
      `with old as (
         select ctid from ${table}
         where queue = $1 and seen_at <= now() - $2 * interval '1 second'
         limit ${PRUNE_BATCH} for update skip locked
       )
       delete from ${table} using old where ${table}.ctid = old.ctid returning 1 as one`,
      [queue, seconds],
    )
    return rows.length === PRUNE_BATCH
  }

  return {
    async add(transaction, signatures) {
      const { rows } = await transaction.executeSql(
        `insert into ${table} as known (queue, signature, seen_at)
         select $1, decode(hex, 'hex'), now()
         from set_config('idle_in_transaction_session_timeout', '${IDLE_LIMIT_MS}', true), unnest($2::text[]) as hex
         on conflict (queue, signature) do update set seen_at = excluded.seen_at
         where known.seen_at <= now() - $3 * interval '1 second'
         returning encode(signature, 'hex') as hex`,
        // Sorted, so that all processes lock rows in the same order.
        [queue, [...new Set(signatures)].sort(), seconds],
      )
      return new Set((rows as { hex: string }[]).map(({ hex }) => hex))
    },
    async prune(db) {
      if (Date.now() < nextPruneAt) return
      nextPruneAt = Date.now() + Math.max(1_000, (seconds * 1_000) / 4)
      while (await deleteSome(db));
    },
  }
}
