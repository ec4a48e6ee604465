import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { STATE } from './schema.ts'

/**
 * Entries that are due while another one of their key is active, or is suspect and due. As long as one is
 * parked, another one of its key is active or due, so none waits forever: whatever ends that state calls
 * `wake`, in its transaction.
 */
export function createParking(database: DatabaseSync) {
  const park = database.prepare(`update work set state = ${STATE.parked}, busy_key = ? where id = ?`)
  const isAny = database.prepare(`select 1 from work where state = ${STATE.parked} limit 1`)
  const wake = database.prepare(`
    update work set state = ${STATE.ready}, busy_key = null
      where id = (select id from work where state = ${STATE.parked} and busy_key = ? order by id limit 1)
  `)
  return {
    park: (id: number, key: string) => void park.run(key, id),
    wake(keys: readonly SQLOutputValue[]): void {
      if (isAny.get() === undefined) return
      for (const key of keys) if (key !== null) wake.run(key)
    },
  }
}
