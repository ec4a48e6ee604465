import { Agent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import { Closing } from './closing.ts'
import type { Delivery, DeliveryAttempt, DeliveryFilter, DeliveryState } from './delivery.ts'
import {
  createDeliveryRecord,
  type DeliveryOrder,
  type DeliveryRecord,
  toBodyBytes,
  toSignatureHeader,
  toSnapshot,
} from './delivery-record.ts'
import { Neighbours } from './neighbours.ts'
import { ReceiverSlots } from './receiver-slots.ts'
import { type AttemptOrder, isDelivered, sendAttempt, toDroppedAttempt } from './send-attempt.ts'

const ATTEMPTS = [1, 2, 3] as const

/** How many deliveries start in one turn of the event loop. */
const MAX_PER_TURN = 200

// Long enough for bursts. Not longer, as servers that stop wait for idle connections.
const IDLE_MS = 1_000

/** Delivers notifications in up to three attempts, and records them. */
export class Dispatcher {
  readonly #options: CheckedSandboxOptions
  readonly #isActive: (configurationId: string) => boolean
  readonly #onChange: (record: DeliveryRecord) => void
  #closing = new Closing()
  readonly #slots: ReceiverSlots
  #neighbours = new Neighbours(this.#closing)
  readonly #agents = {
    http: new Agent({ keepAlive: true, timeout: IDLE_MS }),
    https: new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
  }
  #count = 0
  readonly #records = new Map<string, DeliveryRecord>()
  readonly #settledIds = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  readonly #listeners = new Set<(delivery: Delivery) => void>()

  /** @param onChange called for every new delivery and after each change */
  constructor(
    options: CheckedSandboxOptions,
    isActive: (configurationId: string) => boolean,
    onChange: (record: DeliveryRecord) => void,
  ) {
    this.#options = options
    this.#onChange = onChange
    this.#isActive = isActive
    this.#slots = new ReceiverSlots(options.maxConcurrentDeliveries)
  }

  /** Delivers in order, and resolves when all deliveries are settled. */
  async deliver(orders: Iterable<DeliveryOrder>): Promise<Delivery[]> {
    return await this.track(this.#deliver(orders))
  }

  list(filter: DeliveryFilter): Delivery[] {
    return this.records(filter).map(toSnapshot)
  }

  /** The records of deliveries, oldest first. */
  records({ kind, state }: DeliveryFilter = {}): DeliveryRecord[] {
    return [...this.#records.values()].filter(
      (one) => (kind === undefined || one.kind === kind) && (state ?? one.state) === one.state,
    )
  }

  /** The total number of deliveries. */
  get count(): number {
    return this.#count
  }

  /** The deliveries after a count. */
  since(count: number): DeliveryRecord[] {
    return this.records().filter(({ number }) => number >= count)
  }

  find(id: string): DeliveryRecord | undefined {
    return this.#records.get(id)
  }

  /** Ends pauses when the sandbox is closed or reset. */
  get closing(): Closing {
    return this.#closing
  }

  on(listener: (delivery: Delivery) => void): () => void {
    // A new function, so that a listener that was added twice is removed one at a time.
    const own = (delivery: Delivery) => listener(delivery)
    this.#listeners.add(own)
    return () => this.#listeners.delete(own)
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
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  /** Cancels pending deliveries, and deletes the records so far. */
  async reset(): Promise<void> {
    // Deliveries that start from here on are kept.
    const [closing, running, end] = [this.#closing, [...this.#running], this.#count]
    this.#closing = new Closing()
    this.#neighbours = new Neighbours(this.#closing)
    closing.close()
    await Promise.all(running)
    for (const { id, number } of this.records()) {
      if (number >= end) continue
      this.#records.delete(id)
      this.#settledIds.delete(id)
    }
  }

  async #deliver(orders: Iterable<DeliveryOrder>): Promise<Delivery[]> {
    const [closing, neighbours] = [this.#closing, this.#neighbours]
    const all: [DeliveryRecord, DeliveryOrder][] = []
    // All are recorded before the first listener is called.
    for (const order of orders) {
      if (closing !== this.#closing) break
      const record = createDeliveryRecord(order, this.#count++, this.#options.clientId)
      this.#records.set(record.id, record)
      this.#onChange(record)
      if (all.push([record, order]) % MAX_PER_TURN === 0) await nextTurn()
    }
    const deliveries: Promise<Delivery>[] = []
    for (const [record, order] of all) {
      const delivery = this.#run(record, order, closing, neighbours).then(() => toSnapshot(record))
      if (deliveries.push(delivery) % MAX_PER_TURN === 0) await nextTurn()
    }
    return await Promise.all(deliveries)
  }

  async #run(record: DeliveryRecord, order: object, closing: Closing, neighbours: Neighbours): Promise<void> {
    // No listeners after close(), as one that triggers an event on every call would never end.
    if (closing.closed) return this.#finish(record, 'cancelled')
    const { drop, delayMs = 0, reorder } = record.faults
    if (drop) return this.#settle(record, 'dropped')
    await closing.pause(delayMs)
    const answered = reorder
      ? await neighbours.turn(record.configurationId, order, record.signature)
      : undefined
    this.#settle(record, await this.#attempt(record, closing, answered))
    answered?.()
  }

  async #attempt(
    record: DeliveryRecord,
    closing: Closing,
    answered: (() => void) | undefined,
  ): Promise<DeliveryState> {
    for (const number of ATTEMPTS) {
      if (number > 1) await closing.pause(this.#options.retryDelayMs)
      await closing.pause(record.faults.attempts?.[number - 1]?.delayMs ?? 0)
      const attempt = await this.#slots.run(record.callbackUrl, async () =>
        this.#send(record, number, closing),
      )
      if (!attempt) return 'cancelled'
      record.attempts.push(attempt)
      answered?.()
      if (isDelivered(attempt)) return 'delivered'
      if (closing.closed) return 'cancelled'
      if (number < ATTEMPTS.length) this.#tell(record)
    }
    return 'failed'
  }

  /** One attempt, or none if the configuration was deleted or the sandbox closed. */
  async #send(
    record: DeliveryRecord,
    number: 1 | 2 | 3,
    closing: Closing,
  ): Promise<DeliveryAttempt | undefined> {
    if (closing.closed || !this.#isActive(record.configurationId)) return undefined
    const faults = { ...record.faults, ...record.faults.attempts?.[number - 1] }
    const { callbackUrl: url, body, contentType } = record
    const order: AttemptOrder = {
      number,
      url,
      body,
      contentType,
      bytes: toBodyBytes(record),
      signature: toSignatureHeader(record, faults.signature, this.#options.clientId),
      truncate: faults.truncate ?? false,
      timeoutMs: this.#options.attemptTimeoutMs,
    }
    return faults.drop ? toDroppedAttempt(order) : await sendAttempt(order, this.#agents, closing)
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

/** Yields to the event loop. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
