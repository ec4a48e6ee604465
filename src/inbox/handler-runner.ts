import { isDeferral } from '../receiver/deferral.ts'
import type { InboxConsumer, InboxDelivery } from '../receiver/receiver-inbox.ts'
import { settlesWithin } from '../time-limit.ts'
import { describeFailure, isFinal } from './failure.ts'

export type Outcome =
  /** `note` if there was no handler. */
  | { readonly result: 'completed'; readonly note?: string | undefined }
  /** `final` if a retry is pointless. */
  | { readonly result: 'failed'; readonly error: string; readonly final: boolean }
  /** A handler said "not yet". The attempt does not count. */
  | { readonly result: 'deferred'; readonly error: string; readonly afterMs: number }
  /** `stop()` did not wait for it. The attempt does not count. */
  | { readonly result: 'cut_off' }

type Delivery = Omit<InboxDelivery, 'signal'>

const COMPLETED: Outcome = { result: 'completed' }
const CUT_OFF: Outcome = { result: 'cut_off' }
const NOT_HANDLED: Outcome = { result: 'completed', note: 'There was no handler for it.' }
/** How long to wait until the last results are stored. */
const LAST_WRITES_MS = 1_000
/** How long handlers may take after their signal is aborted. */
const ABORT_GRACE_MS = 1_000

/** Runs the handlers between a `start()` and its `stop()`. */
export function createHandlerRunner(consumer: InboxConsumer, stopTimeoutMs: number) {
  let aborter = new AbortController()
  /** A function for each running attempt that cuts it off. */
  const running = new Set<() => void>()
  let emptied = () => {}

  async function isEmpty(limitMs: number): Promise<boolean> {
    const empty = new Promise<void>((resolve) => {
      emptied = resolve
    })
    return running.size === 0 || (await settlesWithin(empty, limitMs))
  }

  return {
    /** Never rejects. */
    run(delivery: Delivery): Promise<Outcome> {
      return new Promise((resolve) => {
        const end = (outcome: () => Outcome) => {
          if (!running.delete(abandon)) return
          resolve(outcome())
          if (running.size === 0) emptied()
        }
        const startedAt = performance.now()
        const abandon = () =>
          end(() => {
            consumer.abandoned?.(delivery, performance.now() - startedAt)
            return CUT_OFF
          })
        running.add(abandon)
        const { signal } = aborter
        const handled = (async () => consumer.handle({ ...delivery, signal }))()
        handled.then(
          (result) => end(() => (result === 'unhandled' ? NOT_HANDLED : COMPLETED)),
          (error) => end(() => (signal.aborted ? CUT_OFF : toOutcome(error))),
        )
      })
    },
    abort(reason: Error): void {
      aborter.abort(reason)
      aborter = new AbortController()
    },
    /** Waits for the handlers, then aborts their signal, then cuts off those that still run. */
    async finish(lastWrites: () => Promise<unknown>): Promise<void> {
      if (!(await isEmpty(stopTimeoutMs))) {
        aborter.abort(
          new Error(
            `The inbox was stopped, and the handlers took longer than "stopTimeoutMs" (${stopTimeoutMs} ms).`,
          ),
        )
        if (!(await isEmpty(ABORT_GRACE_MS))) for (const abandon of running) abandon()
      }
      await settlesWithin(lastWrites(), LAST_WRITES_MS)
    },
  }
}

function toOutcome(thrown: unknown): Outcome {
  const error = describeFailure(thrown)
  if (isDeferral(thrown)) return { result: 'deferred', error, afterMs: Math.ceil(thrown.afterMs) }
  return { result: 'failed', error, final: isFinal(thrown) }
}
