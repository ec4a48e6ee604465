import type { EventKind } from '../events/kinds.ts'
import type { SampleObject } from '../testing/sample-data.ts'
import { checkNotifyOptions } from './check-notify-options.ts'
import type { Configurations } from './configurations.ts'
import type { Delivery } from './delivery.ts'
import type { DeliveryOrder } from './delivery-record.ts'
import type { Dispatcher } from './dispatcher.ts'
import { checkFaults, type Faults } from './faults.ts'
import { toNotificationBodies } from './notification-bodies.ts'
import type { TriggerOptions } from './sandbox.ts'

/** The data of an event as one account is told of it. */
export type DataFor = (accountId: string) => SampleObject

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
   * What the Active configurations of the kind have to be sent.
   *
   * @throws TypeError for options that do not exist or are out of range
   */
  prepare(kind: EventKind, dataFor: DataFor, options: TriggerOptions): DeliveryOrder[] {
    const faults = checkFaults({ ...this.#faults, ...checkNotifyOptions(options) })
    const { accountId, inline } = options
    const { burst, duplicate = 0 } = faults
    const bodies = new Map<string, string[]>()
    return this.#configurations.active({ event: kind, accountId }).flatMap((configuration) => {
      const owner = configuration.accountId
      const own = bodies.get(owner) ?? toNotificationBodies(kind, dataFor(owner), { inline, burst })
      bodies.set(owner, own)
      return own.flatMap((body) => copies({ configuration, body, faults }, 1 + duplicate))
    })
  }

  /** Delivers what was prepared; resolves when each delivery is settled. */
  async deliver(orders: readonly DeliveryOrder[]): Promise<Delivery[]> {
    return await this.#dispatcher.deliver(orders)
  }

  /** Has `settled()` wait for work that goes on between deliveries. */
  async track<Result>(work: Promise<Result>): Promise<Result> {
    return await this.#dispatcher.track(work)
  }
}

function copies(order: DeliveryOrder, count: number): DeliveryOrder[] {
  return Array.from({ length: count }, () => order)
}
