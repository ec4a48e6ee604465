import type { EventKind } from '../../events/kinds.ts'
import { toEnvelope } from '../../testing/create-notification.ts'
import type { SampleObject } from '../../testing/sample-data.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { DeliveryOrder } from '../delivery/delivery-record.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { checkFaults, type Faults } from '../delivery/faults.ts'
import type { NotifyOptions } from '../sandbox.ts'
import type { Configuration, Configurations } from '../service/configurations.ts'
import { checkNotifyOptions } from './check-notify-options.ts'

/** The data of an event as one account is told of it. */
export type DataFor = (accountId: string) => SampleObject

/** The event at an index of a burst; without a burst there is one event. */
export type EventAt = (index: number, burst: number) => DataFor

/** The configurations that an event concerns: those of its kind, of one account or of all. */
export interface Audience {
  readonly event: EventKind
  readonly accountId?: string | undefined
}

/** Turns events into notifications of all whom they concern. */
export class Notifier {
  readonly #configurations: Configurations
  readonly #dispatcher: Dispatcher
  #faults: Faults = {}

  constructor(configurations: Configurations, dispatcher: Dispatcher) {
    this.#configurations = configurations
    this.#dispatcher = dispatcher
  }

  setFaults(faults: Faults | undefined): void {
    this.#faults = checkFaults(faults)
  }

  /**
   * The deliveries to the Active configurations. Each body is made when its order is consumed, so that a large
   * burst does not block the event loop.
   *
   * @throws TypeError for options that do not exist or are out of range
   */
  prepare(audiences: readonly Audience[], eventAt: EventAt, options: NotifyOptions): Iterable<DeliveryOrder> {
    const faults = checkFaults({ ...this.#faults, ...checkNotifyOptions(options) })
    const configurations = audiences.flatMap((audience) => this.#configurations.active(audience))
    return toOrders(configurations, eventAt, faults, options.inline ?? false)
  }

  /** Delivers what was prepared; resolves when each delivery is settled. */
  async deliver(orders: Iterable<DeliveryOrder>): Promise<Delivery[]> {
    return await this.#dispatcher.deliver(orders)
  }

  /** Has `settled()` wait for work that goes on between deliveries. */
  async track<Result>(work: Promise<Result>): Promise<Result> {
    return await this.#dispatcher.track(work)
  }
}

function* toOrders(
  configurations: readonly Configuration[],
  eventAt: EventAt,
  faults: Faults,
  inline: boolean,
): Generator<DeliveryOrder> {
  if (configurations.length === 0) return
  const { burst = 1, duplicate = 0 } = faults
  for (let index = 0; index < burst; index++) {
    const dataFor = eventAt(index, burst)
    for (const configuration of configurations) {
      const { event, accountId } = configuration
      const order = { configuration, body: toEnvelope(event, dataFor(accountId), inline), faults }
      for (let copy = 0; copy <= duplicate; copy++) yield order
    }
  }
}
