import type { InboxCounts } from '../../src/inbox/inbox.ts'
import { connected } from '../contracts/inbox-store.ts'
import { type InboxPlace, openInbox } from '../contracts/open-inbox.ts'
import { signedFrom } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { type Crashes, startCrashingWorkers, startWorker } from './crashing-workers.ts'
import type { Ledger, LedgerRecord } from './ledger.ts'

/** What a worker gets to know. */
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

export interface LedgerCrashes extends Crashes, Pick<LedgerPlan, 'slowMs' | 'completedBy'> {
  readonly payments: number
  /** How often each payment changes. */
  readonly changes: number
}

let workers = 0

/** Kills two workers again and again while payments change. The last two then handle what is left. */
export async function writeThroughCrashes(
  ledger: Ledger,
  place: InboxPlace,
  { payments, changes, slowMs, completedBy, ...crashes }: LedgerCrashes,
): Promise<LedgerRecord & InboxCounts> {
  await using inbox = await openInbox(place)
  await connected(inbox)
  for (let change = 1; change <= changes; change++) {
    const bodies = Array.from({ length: payments }, (_, id) =>
      JSON.stringify({ type: 'OUTBOUND_PAYMENT_STATUS_UPDATED', data: { id, status: `Change ${change}` } }),
    )
    await Promise.all(bodies.map((body) => inbox.put(signedFrom(Buffer.from(body)))))
  }
  const { connectionString, schema } = ledger
  const crashing = startCrashingWorkers(() => {
    const name = `worker ${workers++}`
    const plan: LedgerPlan = { worker: name, place, connectionString, schema, slowMs, completedBy }
    const worker = startWorker('./ledger-process.ts', plan)
    return { ...worker, kill: () => ledger.recordKill(name).then(worker.kill) }
  })
  try {
    await crashing.crash(crashes, async () => (await ledger.changes()) === payments * changes)
    const counts = await waitFor(async () => {
      // A busy machine may keep an engine waiting for too long.
      const now = await inbox.counts().catch(() => undefined)
      return now && now.waiting + now.active === 0 ? now : undefined
    })
    return { ...(await ledger.read()), ...counts }
  } finally {
    await crashing.kill()
  }
}
