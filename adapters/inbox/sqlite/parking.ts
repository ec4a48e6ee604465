import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { STATE } from './schema.ts'

/**
 * Entries that are due while another one of their subject is active. As long as one is parked, another one of
 * its subject is active or ready, so none waits forever: whatever ends that state calls `wake`, in its
 * transaction.
 */
export function createParking(database: DatabaseSync) {
  const park = database.prepare(`update work set state = ${STATE.parked}, exclusive = ? where id = ?`)
  const isAny = database.prepare(`select 1 from work where state = ${STATE.parked} limit 1`)
  const wake = database.prepare(`
    update work set state = ${STATE.ready}, exclusive = null
      where id = (select id from work where state = ${STATE.parked} and exclusive = ? order by id limit 1)
  `)
  return {
    park: (id: number, subject: string) => void park.run(subject, id),
    /** Makes the oldest one of each subject ready. */
    wake(subjects: readonly SQLOutputValue[]): void {
      if (isAny.get() === undefined) return
      for (const subject of subjects) if (subject !== null) wake.run(subject)
    },
  }
}
