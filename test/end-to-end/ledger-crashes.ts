import type { InboxCounts } from '../../src/inbox/inbox.ts'
import { type InboxPlace, openInbox } from '../contracts/open-inbox.ts'
import { signedFrom } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import type { Ledger, LedgerRecord } from './ledger.ts'
import { startLedgerWorker } from './ledger-child.ts'

export interface LedgerCrashes {
  readonly payments: number
  /** How often each payment changes. */
  readonly changes: number
  /** How often workers are killed. */
  readonly rounds: number
  /** The longest time of a handler. */
  readonly slowMs: number
  readonly completedBy: 'receipt' | 'inbox'
  /** Waits until it is time to kill, from when a worker is at work. */
  readonly untilKill: (round: number) => Promise<unknown>
}

/** Kills two workers again and again while payments change. The last two then handle what is left. */
export async function writeThroughCrashes(
  ledger: Ledger,
  place: InboxPlace,
  { payments, changes, rounds, slowMs, completedBy, untilKill }: LedgerCrashes,
): Promise<LedgerRecord & InboxCounts> {
  await using inbox = await openInbox(place)
  for (let change = 1; change <= changes; change++) {
    const notifications = Array.from({ length: payments }, (_, id) =>
      signedFrom(
        Buffer.from(
          JSON.stringify({
            type: 'OUTBOUND_PAYMENT_STATUS_UPDATED',
            data: { id, status: `Change ${change}` },
          }),
        ),
      ),
    )
    await Promise.all(notifications.map((each) => inbox.put(each)))
  }
  const start = () => startLedgerWorker(ledger, place, { slowMs, completedBy })
  const workers = [start(), start()]
  try {
    for (let round = 0; round < rounds; round++) {
      await waitFor(
        async () =>
          workers.some((worker) => worker.isAtWork()) || (await ledger.changes()) === payments * changes,
      )
      await untilKill(round)
      // Sometimes one survives, which has to go on with what the other one held.
      const killed = round % 3 === 2 ? [round % 2] : [0, 1]
      await Promise.all(killed.map((index) => workers[index]?.kill()))
      for (const index of killed) workers[index] = start()
    }
    const counts = await waitFor(async () => {
      const now = await inbox.counts()
      return now.waiting + now.active === 0 ? now : undefined
    })
    return { ...(await ledger.read()), ...counts }
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
}
