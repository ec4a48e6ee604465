import type { DatabaseSync } from 'node:sqlite'

/** Called around each transaction, with the signatures that it stores. */
export type RecentSignatures = ReturnType<typeof createRecentSignatures>

const SIGNATURE_LENGTH = 64
/** How many rows a transaction prunes at most. Each adds one row. */
const PRUNED_ROWS = 4
/** After a pause of this length, reading what other processes have stored may take a while. */
const IDLE_MS = 1_000

/**
 * The signatures within the window for duplicates. They are looked up in memory, so that a put needs no search
 * in an index of all entries. The table only informs other processes, and this one after a restart. Within a
 * transaction, the memory is up to date, since no other process can write. The time of the newest row is when
 * a notification was last stored.
 */
export function createRecentSignatures(database: DatabaseSync, windowMs: number, now: () => number) {
  const readNew = database.prepare('select id, stored_at, signatures from recent where id > ? order by id')
  const add = database.prepare('insert into recent (stored_at, window_ms, signatures) values (?, ?, ?)')
  // The newest row stays, so that its id is not reused.
  const prune = database.prepare(`
    delete from recent where abs(? - stored_at) >= window_ms and id < (select max(id) from recent)
      and id in (select id from recent order by id limit ${PRUNED_ROWS})
  `)
  // Two generations of one window each: when the younger one is full, the older one has expired. Deleting from
  // a single map would get slower with every entry, since a map keeps the places of deleted entries.
  let younger = new Map<string, number>()
  let older = new Map<string, number>()
  let youngerSince = 0
  let lastRead = 0
  let time = 0
  let fresh: string[] = []
  let added = 0

  function forgetOld(): void {
    // The clock may also be set back.
    if (Math.abs(time - youngerSince) < windowMs) return
    older = younger
    younger = new Map()
    youngerSince = time
  }

  function catchUp(): void {
    for (const row of readNew.iterate(lastRead)) {
      lastRead = Number(row.id)
      const at = Number(row.stored_at)
      const signatures = String(row.signatures)
      for (let start = 0; start < signatures.length; start += SIGNATURE_LENGTH) {
        younger.set(signatures.slice(start, start + SIGNATURE_LENGTH), at)
      }
    }
  }

  catchUp()
  return {
    beginning(): void {
      // After a pause, reading may take seconds, and within the transaction it would block other processes.
      if (Math.abs(now() - time) >= IDLE_MS) catchUp()
    },
    begun(): void {
      time = now()
      forgetOld()
      catchUp()
    },
    /** Whether it came before, within the window. Only within a transaction. */
    isRepeat(signature: string): boolean {
      const at = younger.get(signature) ?? older.get(signature)
      if (at !== undefined && Math.abs(time - at) < windowMs) return true
      fresh.push(signature)
      younger.set(signature, time)
      return false
    },
    committing(): void {
      if (fresh.length === 0) return
      prune.run(time)
      added = Number(add.run(time, windowMs, windowMs > 0 ? fresh.join('') : '').lastInsertRowid)
    },
    committed(): void {
      lastRead = Math.max(lastRead, added)
      fresh = []
    },
    rolledBack(): void {
      for (const signature of fresh) younger.delete(signature)
      fresh = []
      added = 0
    },
  }
}
