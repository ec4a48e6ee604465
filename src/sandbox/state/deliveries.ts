import { randomUUID } from 'node:crypto'
import { type Checks, checkOptions, oneOf, optional, text } from '../../option-checks.ts'
import { BoundedMap } from './bounded-map.ts'
import type { DeliveryOrder, DeliveryRecord } from './delivery.ts'
import { DELIVERY_STATES, type DeliveryFilter, type DeliveryState } from './delivery.ts'

const FILTER = {
  kind: optional(text()),
  state: optional(oneOf(DELIVERY_STATES)),
} satisfies Checks<DeliveryFilter>

// What a record and an attempt use besides the body and the response.
const RECORD_BYTES = 500
const ATTEMPT_BYTES = 1_000
// Of pending deliveries, and of settled ones.
const MAX_BYTES = 64 * 1024 * 1024

/** The records of deliveries: all pending ones, and the last settled ones. */
export class Deliveries {
  readonly #pending = new Map<string, DeliveryRecord>()
  readonly #settled = new BoundedMap<string, DeliveryRecord>(MAX_BYTES, ({ memory }) => memory)
  #pendingBytes = 0
  #count = 0

  get count(): number {
    return this.#count
  }

  assertRoom(count: number, bytes: number): void {
    if (this.#pendingBytes + count * RECORD_BYTES + bytes > MAX_BYTES)
      throw new TypeError(`At most 64 MB of notifications can be pending; ${count} more are too many`)
  }

  /** @param isShared whether an earlier delivery has the same body */
  add({ configuration, ...order }: DeliveryOrder, isShared: boolean): DeliveryRecord {
    const record: DeliveryRecord = {
      id: randomUUID(),
      number: this.#count++,
      memory: RECORD_BYTES + (isShared ? 0 : order.body.size + order.kind.length),
      ...order,
      configurationId: configuration.id,
      callbackUrl: configuration.callbackUrl,
      createdAt: new Date(),
      state: 'pending',
      attempts: [],
    }
    this.#pending.set(record.id, record)
    this.#pendingBytes += record.memory
    return record
  }

  settle(record: DeliveryRecord, state: DeliveryState): void {
    record.state = state
    this.#pending.delete(record.id)
    this.#pendingBytes -= record.memory
    for (const { responseBody = '', responseHeaders = {} } of record.attempts) {
      const texts = [responseBody, ...Object.entries(responseHeaders).flat()]
      record.memory += texts.reduce((sum, { length }) => sum + length, ATTEMPT_BYTES)
    }
    this.#settled.set(record.id, record)
  }

  find(id: string): DeliveryRecord | undefined {
    return this.#pending.get(id) ?? this.#settled.get(id)
  }

  /** Oldest first. @throws TypeError if the filter is invalid */
  list(filter: DeliveryFilter = {}): DeliveryRecord[] {
    const { kind, state } = checkOptions('deliveries', filter, FILTER)
    return [...this.#settled.values(), ...this.#pending.values()]
      .filter((one) => (kind === undefined || one.kind === kind) && (state ?? one.state) === one.state)
      .sort((one, other) => one.number - other.number)
  }

  /** Deletes the settled deliveries before a count. */
  clear(count: number): void {
    for (const { id, number } of this.#settled.values()) if (number < count) this.#settled.delete(id)
  }
}
