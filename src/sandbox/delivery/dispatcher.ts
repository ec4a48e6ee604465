import { Agent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import { Closing } from './closing.ts'
import type { Delivery, DeliveryFilter, DeliveryState } from './delivery.ts'
import {
  createDeliveryRecord,
  type DeliveryOrder,
  type DeliveryRecord,
  toSnapshot,
} from './delivery-record.ts'
import { Neighbours } from './neighbours.ts'
import { ReceiverSlots } from './receiver-slots.ts'
import { isDelivered, sendAttempt } from './send-attempt.ts'

const ATTEMPTS = [1, 2, 3] as const

/** How many deliveries are begun before the event loop goes on. */
const MOST_AT_A_TURN = 200

// Kept for bursts, and not for long: servers count an idle connection of theirs, and wait for it when they
// stop.
const IDLE_MS = 1_000

/** Delivers notifications in up to three attempts, and remembers them. */
export class Dispatcher {
  readonly #options: CheckedSandboxOptions
  readonly #isActive: (configurationId: string) => boolean
  readonly #closing = new Closing()
  readonly #slots: ReceiverSlots
  readonly #neighbours = new Neighbours(this.#closing)
  readonly #agents = {
    http: new Agent({ keepAlive: true, timeout: IDLE_MS }),
    https: new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
  }
  readonly #records = new Map<string, DeliveryRecord>()
  readonly #settledIds = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  readonly #listeners = new Set<(delivery: Delivery) => void>()

  constructor(options: CheckedSandboxOptions, isActive: (configurationId: string) => boolean) {
    this.#options = options
    this.#isActive = isActive
    this.#slots = new ReceiverSlots(options.maxConcurrentDeliveries)
  }

  /** Delivers, in the order given, and resolves when each delivery is settled. */
  async deliver(orders: Iterable<DeliveryOrder>): Promise<Delivery[]> {
    return await this.track(this.#deliver(orders))
  }

  list({ kind, state }: DeliveryFilter): Delivery[] {
    return [...this.#records.values()]
      .filter((one) => (kind === undefined || one.kind === kind) && (state ?? one.state) === one.state)
      .map(toSnapshot)
  }

  on(listener: (delivery: Delivery) => void): () => void {
    // Its own object, so that a function that listens twice is removed once at a time.
    const own = (delivery: Delivery) => listener(delivery)
    this.#listeners.add(own)
    return () => this.#listeners.delete(own)
  }

  /** Has `settled()` wait for some work. */
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
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  async #deliver(orders: Iterable<DeliveryOrder>): Promise<Delivery[]> {
    const all: [DeliveryRecord, DeliveryOrder][] = []
    // All are known before the first listener hears of one.
    for (const order of orders) {
      const record = createDeliveryRecord(order, this.#options.clientId)
      this.#records.set(record.id, record)
      if (all.push([record, order]) % MOST_AT_A_TURN === 0) await nextTurn()
    }
    const deliveries: Promise<Delivery>[] = []
    for (const [record, order] of all) {
      const delivery = this.#run(record, order).then(() => toSnapshot(record))
      if (deliveries.push(delivery) % MOST_AT_A_TURN === 0) await nextTurn()
    }
    return await Promise.all(deliveries)
  }

  async #run(record: DeliveryRecord, order: object): Promise<void> {
    // Listeners are not called after close(): one that triggers an event at every call would never end.
    if (this.#closing.closed) return this.#finish(record, 'cancelled')
    const { drop, delayMs = 0, reorder } = record.faults
    if (drop) return this.#settle(record, 'dropped')
    await this.#closing.pause(delayMs)
    const answered = reorder
      ? await this.#neighbours.turn(record.configurationId, order, record.deliveryId)
      : undefined
    this.#settle(record, await this.#attempt(record, answered))
    answered?.()
  }

  async #attempt(record: DeliveryRecord, answered: (() => void) | undefined): Promise<DeliveryState> {
    for (const number of ATTEMPTS) {
      if (number > 1) await this.#closing.pause(this.#options.retryDelayMs)
      const attempt = await this.#slots.run(record.callbackUrl, async () => this.#send(record, number))
      if (!attempt) return 'cancelled'
      record.attempts.push(attempt)
      answered?.()
      if (isDelivered(attempt)) return 'delivered'
      if (this.#closing.closed) return 'cancelled'
      if (number < ATTEMPTS.length) this.#tell(record)
    }
    return 'failed'
  }

  /** One attempt, or none when the configuration or the sandbox is gone. */
  async #send(record: DeliveryRecord, number: 1 | 2 | 3) {
    if (this.#closing.closed || !this.#isActive(record.configurationId)) return undefined
    const { callbackUrl: url, body, signature, faults } = record
    const timeoutMs = this.#options.attemptTimeoutMs
    const truncate = faults.truncate ?? false
    return await sendAttempt(
      { number, url, body, signature, truncate, timeoutMs },
      this.#agents,
      this.#closing,
    )
  }

  #settle(record: DeliveryRecord, state: DeliveryState): void {
    this.#finish(record, state)
    this.#tell(record)
  }

  #finish(record: DeliveryRecord, state: DeliveryState): void {
    record.state = state
    this.#settledIds.add(record.id)
    if (this.#settledIds.size > this.#options.maxRecords) {
      const [oldest = ''] = this.#settledIds
      this.#settledIds.delete(oldest)
      this.#records.delete(oldest)
    }
  }

  #tell(record: DeliveryRecord): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(toSnapshot(record))
      } catch (error) {
        // A listener's fault is its owner's to hear of, and must not keep a notification from its receiver.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}

function nothing(): void {}

/** Yields to the event loop. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
