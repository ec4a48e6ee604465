import type { Delivery, InboxConsumer } from '../receiver-inbox.ts'
import { describeFailure, isFinal } from './failure.ts'
import { within } from './within.ts'

/** How an attempt at handling ended. */
export type Outcome =
  | { readonly result: 'completed' }
  /** `final` when another attempt cannot end otherwise. */
  | { readonly result: 'failed'; readonly error: string; readonly final: boolean }
  /** `stop()` ran out of patience. The attempt does not count. */
  | { readonly result: 'cut_off' }

/** Hands deliveries over from one `start()` to its `stop()`. */
export interface Handover {
  /** Never rejects. */
  hand(delivery: Omit<Delivery, 'signal'>): Promise<Outcome>
  /**
   * Waits until every delivery has ended: patiently first, then with their signal aborted. One that does not heed even
   * that is left behind.
   *
   * @returns whether none was
   */
  finish(): Promise<boolean>
}

/** How long handlers may take to heed their signal. */
const HEED_MS = 1_000

export function createHandover(consumer: InboxConsumer, stopTimeoutMs: number): Handover {
  const aborter = new AbortController()
  const running = new Set<Promise<Outcome>>()

  async function attempt(delivery: Omit<Delivery, 'signal'>): Promise<Outcome> {
    try {
      await consumer.handle({ ...delivery, signal: aborter.signal })
      return { result: 'completed' }
    } catch (error) {
      if (aborter.signal.aborted) return { result: 'cut_off' }
      return { result: 'failed', error: describeFailure(error), final: isFinal(error) }
    }
  }

  return {
    async hand(delivery) {
      const outcome = attempt(delivery)
      running.add(outcome)
      return await outcome.finally(() => running.delete(outcome))
    },
    async finish() {
      if (await within(Promise.all(running), stopTimeoutMs)) return true
      aborter.abort(
        new Error(`The inbox was stopped, and the handlers took longer than ${stopTimeoutMs} ms.`),
      )
      return await within(Promise.all(running), HEED_MS)
    },
  }
}
