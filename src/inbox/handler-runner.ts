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
  /** The running attempts, by functions that cut them off. */
  const running = new Map<() => void, Promise<Outcome>>()

  const endWithin = (limitMs: number) => settlesWithin(Promise.all(running.values()), limitMs)

  return {
    /** Never rejects. */
    run(delivery: Delivery): Promise<Outcome> {
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      const end = (outcome: () => Outcome) => {
        if (running.delete(abandon)) resolve(outcome())
      }
      const startedAt = performance.now()
      const abandon = () =>
        end(() => {
          consumer.abandoned?.(delivery, performance.now() - startedAt)
          return CUT_OFF
        })
      running.set(abandon, promise)
      const { signal } = aborter
      const handled = (async () => consumer.handle({ ...delivery, signal }))()
      handled.then(
        (result) => end(() => (result === 'unhandled' ? NOT_HANDLED : COMPLETED)),
        (error) => end(() => (signal.aborted ? CUT_OFF : toOutcome(error))),
      )
      return promise
    },
    abort(reason: Error): void {
      aborter.abort(reason)
      aborter = new AbortController()
    },
    /** Waits for the handlers, then aborts their signal, then cuts off those that still run. */
    async finish(lastWrites: () => Promise<unknown>): Promise<void> {
      if (!(await endWithin(stopTimeoutMs))) {
        aborter.abort(
          new Error(
            `The inbox was stopped, and the handlers took longer than "stopTimeoutMs" (${stopTimeoutMs} ms).`,
          ),
        )
        if (!(await endWithin(ABORT_GRACE_MS))) for (const abandon of running.keys()) abandon()
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
