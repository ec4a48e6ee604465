import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { InboxPlace } from '../contracts/open-inbox.ts'
import type { Ledger } from './ledger.ts'

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

export interface LedgerWorker {
  /** Whether a handler has begun. */
  isAtWork(): boolean
  /** Kills the process with SIGKILL and waits until it is gone. */
  kill(): Promise<void>
}

let workers = 0

/** Starts a process that writes notifications into the ledger. */
export function startLedgerWorker(
  ledger: Ledger,
  place: InboxPlace,
  { slowMs, completedBy }: Pick<LedgerPlan, 'slowMs' | 'completedBy'>,
): LedgerWorker {
  const { connectionString, schema } = ledger
  const worker = `worker ${workers++}`
  const plan: LedgerPlan = { worker, place, connectionString, schema, slowMs, completedBy }
  const child = fork(new URL('./ledger-process.ts', import.meta.url), [JSON.stringify(plan)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const gone = once(child, 'close')
  let isAtWork = false
  child.once('message', () => {
    isAtWork = true
  })
  return {
    isAtWork: () => isAtWork,
    async kill() {
      await ledger.recordKill(worker)
      child.kill('SIGKILL')
      await gone
    },
  }
}

export function parseLedgerPlan(text: string | undefined): LedgerPlan {
  if (text === undefined) throw new TypeError('The plan is missing.')
  return JSON.parse(text)
}
