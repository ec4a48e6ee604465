import type { SqlRunner } from './engine.ts'

const TABLE = 'payhook_recent_delivery'
const PRUNE_BATCH = 5_000
/**
 * A process that freezes must not keep its deliveries from being stored elsewhere: then PostgreSQL ends its
 * transaction.
 */
const IDLE_LIMIT_MS = 2_000

/** Remembers which deliveries were stored a short while ago. The clock is the database's. */
export interface RecentDeliveries {
  /**
   * Takes deliveries down as stored now, in the transaction that stores them.
   *
   * @returns those that were not there yet, or no longer
   */
  add(transaction: SqlRunner, deliveryIds: Iterable<string>): Promise<Set<string>>
  /** Forgets what has left the window, unless that was done a short while ago. */
  prune(db: SqlRunner): Promise<void>
}

/**
 * The table, in pg-boss's schema. pg-boss's own `singletonSeconds` is a fixed time slot and no sliding window.
 */
export async function createRecentTable(db: SqlRunner, schema: string): Promise<void> {
  const table = `${schema}.${TABLE}`
  // One string is one transaction. Without the lock two processes would collide in PostgreSQL's catalogue.
  await db.executeSql(
    `select pg_advisory_xact_lock(hashtextextended('${table}', 0));
     create table if not exists ${table} (
       queue text not null,
       delivery_id bytea not null,
       seen_at timestamptz not null,
       primary key (queue, delivery_id)
     )`,
  )
}

export function createRecentDeliveries(schema: string, queue: string, seconds: number): RecentDeliveries {
  const table = `${schema}.${TABLE}`
  let nextPruneAt = 0

  async function deleteSome(db: SqlRunner): Promise<boolean> {
    // It reads the table from its start, where the oldest lie, and an index would cost every put more than
    // that. Rows that a put has in hand are passed over, so that neither waits for the other.
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
    async add(transaction, deliveryIds) {
      const { rows } = await transaction.executeSql(
        `insert into ${table} as known (queue, delivery_id, seen_at)
         select $1, decode(hex, 'hex'), now()
         from set_config('idle_in_transaction_session_timeout', '${IDLE_LIMIT_MS}', true), unnest($2::text[]) as hex
         on conflict (queue, delivery_id) do update set seen_at = excluded.seen_at
         where known.seen_at <= now() - $3 * interval '1 second'
         returning encode(delivery_id, 'hex') as hex`,
        // Sorted, so that two processes take their locks in the same order.
        [queue, [...new Set(deliveryIds)].sort(), seconds],
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
