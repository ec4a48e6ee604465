import pg from 'pg'

/** What the workers of the test did. */
export interface LedgerRecord {
  /** The number of changes that are in the ledger, and of those that are there more than once. */
  readonly changes: number
  readonly twice: number
  /** Attempts that began, whether they were committed or not. */
  readonly attempts: number
  /** Pairs of attempts of one payment that ran at the same time. */
  readonly overlaps: number
  /** Attempts that found a receipt. */
  readonly skipped: number
}

/** The database of an application: a ledger, receipts, and a record of every attempt. */
export async function createLedger(connectionString: string, schema: string) {
  const pool = new pg.Pool({ connectionString, max: 2 })
  await pool.query(`
    create schema ${schema};
    create table ${schema}.ledger (payment int not null, change text not null);
    create table ${schema}.receipts (key text primary key);
    create table ${schema}.skips (key text not null);
    create table ${schema}.attempts (
      id bigint generated always as identity primary key,
      worker text not null,
      payment int not null,
      began timestamptz not null default clock_timestamp(),
      ended timestamptz
    );
    create table ${schema}.kills (worker text not null, at timestamptz not null default clock_timestamp())`)

  async function count(sql: string): Promise<number> {
    const { rows } = await pool.query(`select count(*)::int as count from ${sql}`)
    return rows[0].count
  }

  return {
    schema,
    connectionString,
    changes: () => count(`${schema}.ledger`),
    /** Has to be called before a worker is killed. */
    recordKill: (worker: string) => pool.query(`insert into ${schema}.kills (worker) values ($1)`, [worker]),
    async read(): Promise<LedgerRecord> {
      const spans = `(select id, payment, began, coalesce(ended, at) as ended
        from ${schema}.attempts left join ${schema}.kills using (worker))`
      const [changes, twice, attempts, overlaps, skipped] = await Promise.all([
        count(`${schema}.ledger`),
        count(`(select from ${schema}.ledger group by payment, change having count(*) > 1) doubled`),
        count(`${schema}.attempts`),
        count(`${spans} a join ${spans} b on a.payment = b.payment and a.id < b.id
          and a.began < b.ended and b.began < a.ended`),
        count(`${schema}.skips`),
      ])
      return { changes, twice, attempts, overlaps, skipped } as LedgerRecord
    },
    async dispose(): Promise<void> {
      await pool.query(`drop schema ${schema} cascade`)
      await pool.end()
    },
  }
}

export type Ledger = Awaited<ReturnType<typeof createLedger>>
