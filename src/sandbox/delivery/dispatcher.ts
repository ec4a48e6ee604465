import type { Delivery, DeliveryState } from '../state/delivery.ts'
import { type DeliveryOrder, type DeliveryRecord, type SignedBody, toSnapshot } from '../state/delivery.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import { Closing } from './closing.ts'
import { PairSwapper } from './pair-swapper.ts'
import { ReceiverSlots } from './receiver-slots.ts'
import { isDelivered, sendAttempt } from './send-attempt.ts'

/** What a sandbox remembers, and what sends its notifications. */
export type SandboxCore = SandboxState & { readonly dispatcher: Dispatcher }

const ATTEMPTS = [1, 2, 3] as const

/** How many deliveries start before others get the event loop. */
const MAX_AT_ONCE = 200

/** Delivers notifications in up to three attempts, and records them. */
export class Dispatcher {
  readonly #state: SandboxState
  readonly #onChange: (record: DeliveryRecord) => void
  #closing = new Closing()
  readonly #slots = new ReceiverSlots()
  #swapper = new PairSwapper(this.#closing)
  readonly #running = new Set<Promise<void>>()
  readonly #listeners = new Set<(delivery: Delivery) => void>()

  constructor(state: SandboxState, onChange: (record: DeliveryRecord) => void) {
    this.#state = state
    this.#onChange = onChange
  }

  /** Delivers in order, and resolves when all deliveries are settled. */
  async deliver(orders: Iterable<DeliveryOrder>): Promise<Delivery[]> {
    return await this.track(this.#deliver(orders))
  }

  /** Ends pauses when the sandbox is closed or reset. */
  get closing(): Closing {
    return this.#closing
  }

  onChange(listener: (delivery: Delivery) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Makes `settled()` wait for some work. */
  async track<Result>(work: Promise<Result>): Promise<Result> {
    const end = work.then(nothing, nothing).finally(() => this.#running.delete(end))
    this.#running.add(end)
    return await work
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async close(): Promise<void> {
    this.#closing.close()
    await this.settled()
  }

  async reset(): Promise<void> {
    // Deliveries that start from here on are kept.
    const [closing, running, end] = [this.#closing, [...this.#running], this.#state.deliveries.count]
    this.#closing = new Closing()
    this.#swapper = new PairSwapper(this.#closing)
    closing.close()
    await Promise.all(running)
    this.#state.deliveries.clear(end)
  }

  async #deliver(orders: Iterable<DeliveryOrder>): Promise<Delivery[]> {
    const [closing, swapper] = [this.#closing, this.#swapper]
    const all: DeliveryRecord[] = []
    const bodies = new Set<SignedBody>()
    // All are recorded before the first listener is called.
    for (const order of orders) {
      const record = this.#state.deliveries.add(order, bodies.has(order.body))
      bodies.add(order.body)
      this.#onChange(record)
      if (all.push(record) % MAX_AT_ONCE > 0) continue
      await yieldToOthers()
      // The sandbox was closed or reset.
      if (closing.closed) break
    }
    const deliveries: Promise<Delivery>[] = []
    for (const record of all) {
      const delivery = this.#run(record, closing, swapper).then(() => toSnapshot(record))
      if (deliveries.push(delivery) % MAX_AT_ONCE === 0) await yieldToOthers()
    }
    return await Promise.all(deliveries)
  }

  async #run(record: DeliveryRecord, closing: Closing, swapper: PairSwapper): Promise<void> {
    // No listeners after close(), as one that triggers an event on every call would never end.
    if (closing.closed) return this.#state.deliveries.settle(record, 'cancelled')
    const { configurationId, body, faults } = record
    const { drop, delayMs = 0, reorder } = faults
    if (drop) return this.#settle(record, 'dropped')
    await closing.pause(delayMs)
    // All copies of a notification share its faults.
    const responded = reorder ? await swapper.wait(configurationId, faults, body.signature) : nothing
    this.#settle(record, await this.#attempt(record, closing, responded))
    responded()
  }

  async #attempt(record: DeliveryRecord, closing: Closing, responded: () => void): Promise<DeliveryState> {
    for (const number of ATTEMPTS) {
      if (number > 1) await closing.pause(this.#state.options.retryDelayMs)
      await closing.pause(record.faults.attempts?.[number - 1]?.delayMs ?? 0)
      const attempt = await this.#slots.run(record.callbackUrl, async () => {
        if (closing.closed || !this.#state.configurations.findActive(record.configurationId)) return undefined
        const faults = { ...record.faults, ...record.faults.attempts?.[number - 1] }
        return await sendAttempt(record, number, faults, this.#state.options, closing)
      })
      if (!attempt) return 'cancelled'
      record.attempts.push(attempt)
      responded()
      if (isDelivered(attempt)) return 'delivered'
      if (closing.closed) return 'cancelled'
      if (number < ATTEMPTS.length) this.#tell(record)
    }
    return 'failed'
  }

  #settle(record: DeliveryRecord, state: DeliveryState): void {
    this.#state.deliveries.settle(record, state)
    this.#tell(record)
  }

  #tell(record: DeliveryRecord): void {
    this.#onChange(record)
    for (const listener of [...this.#listeners]) {
      try {
        listener(toSnapshot(record))
      } catch (error) {
        // An error of a listener becomes an uncaught exception, and must not affect the delivery.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}

function nothing(): void {}

async function yieldToOthers(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
