import type { InboxPlace } from '../contracts/open-inbox.ts'
import type { Ledger } from './ledger.ts'
import { startWorker, type Worker } from './start-worker.ts'

export interface LedgerPlan {
  readonly worker: string
  readonly place: InboxPlace
  readonly connectionString: string
  readonly schema: string
  /** The longest time of a handler. */
  readonly slowMs: number
  /**
   * Where an entry is completed with what is written: by a receipt, or in the inbox itself, if it is there,
   * too.
   */
  readonly completedBy: 'receipt' | 'inbox'
}

let workers = 0

/** Starts a process that writes notifications into the ledger. */
export function startLedgerWorker(
  ledger: Ledger,
  place: InboxPlace,
  { slowMs, completedBy }: Pick<LedgerPlan, 'slowMs' | 'completedBy'>,
): Worker {
  const { connectionString, schema } = ledger
  const worker = `worker ${workers++}`
  const plan: LedgerPlan = { worker, place, connectionString, schema, slowMs, completedBy }
  const { isAtWork, kill } = startWorker(new URL('./ledger-process.ts', import.meta.url), plan)
  return {
    isAtWork,
    async kill() {
      await ledger.recordKill(worker)
      await kill()
    },
  }
}
