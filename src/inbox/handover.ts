import type { InboxConsumer, InboxDelivery } from '../receiver/receiver-inbox.ts'
import { describeFailure, isFinal } from './failure.ts'
import { within } from './within.ts'

/** How an attempt at handling ended. */
export type Outcome =
  | { readonly result: 'completed' }
  /** `final` if another attempt cannot end otherwise. */
  | { readonly result: 'failed'; readonly error: string; readonly final: boolean }
  /** `stop()` did not wait for it. The attempt does not count. */
  | { readonly result: 'cut_off' }

/** Hands deliveries over from one `start()` to its `stop()`. */
export interface Handover {
  /**
   * Never rejects.
   *
   * @param cutOffs how often the delivery has been cut off before. After a few times it counts as a failed
   *   attempt.
   */
  hand(delivery: Omit<InboxDelivery, 'signal'>, cutOffs: number): Promise<Outcome>
  /** Waits for the handlers, then aborts their signal, and cuts off those that go on nevertheless. */
  finish(): Promise<void>
}

/** How often a delivery is cut off without consequences. */
const FREE_CUT_OFFS = 2
/** How long handlers may take to end after their signal is aborted. */
const HEED_MS = 1_000

export function createHandover(consumer: InboxConsumer, stopTimeoutMs: number): Handover {
  const aborter = new AbortController()
  /** Cuts an attempt off, for each one under way. */
  const running = new Set<() => void>()
  let emptied = () => {}

  async function handle(delivery: Omit<InboxDelivery, 'signal'>): Promise<void> {
    await consumer.handle({ ...delivery, signal: aborter.signal })
  }

  async function isEmpty(limitMs: number): Promise<boolean> {
    const empty = new Promise<void>((resolve) => {
      emptied = resolve
    })
    return running.size === 0 || (await within(empty, limitMs))
  }

  function cutOff(delivery: Omit<InboxDelivery, 'signal'>, cutOffs: number): Outcome {
    if (cutOffs < FREE_CUT_OFFS) return { result: 'cut_off' }
    const error = new Error(
      `stop() cut the handlers off again: they took longer than "stopTimeoutMs" (${stopTimeoutMs} ms).`,
    )
    consumer.failed(error, delivery)
    return { result: 'failed', error: describeFailure(error), final: false }
  }

  return {
    hand(delivery, cutOffs) {
      return new Promise((resolve) => {
        const end = (outcome: () => Outcome) => {
          if (!running.delete(abandon)) return
          resolve(outcome())
          if (running.size === 0) emptied()
        }
        const abandon = () => end(() => cutOff(delivery, cutOffs))
        running.add(abandon)
        handle(delivery).then(
          () => end(() => ({ result: 'completed' })),
          (error) => {
            if (aborter.signal.aborted) abandon()
            else end(() => ({ result: 'failed', error: describeFailure(error), final: isFinal(error) }))
          },
        )
      })
    },
    async finish() {
      if (await isEmpty(stopTimeoutMs)) return
      aborter.abort(
        new Error(`The inbox was stopped, and the handlers took longer than ${stopTimeoutMs} ms.`),
      )
      if (await isEmpty(HEED_MS)) return
      for (const abandon of running) abandon()
    },
  }
}
