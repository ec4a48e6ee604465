import type { Delivery, InboxConsumer } from '../receiver-inbox.ts'
import { describeFailure, isFinal } from './failure.ts'

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

  async function allWithin(limitMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const outOfPatience = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), limitMs)
    })
    const ended = Promise.all(running).then(() => true)
    return await Promise.race([ended, outOfPatience]).finally(() => clearTimeout(timer))
  }

  return {
    async hand(delivery) {
      const outcome = attempt(delivery)
      running.add(outcome)
      return await outcome.finally(() => running.delete(outcome))
    },
    async finish() {
      if (await allWithin(stopTimeoutMs)) return true
      aborter.abort(
        new Error(`The inbox was stopped, and the handlers took longer than ${stopTimeoutMs} ms.`),
      )
      return await allWithin(HEED_MS)
    },
  }
}
