import { EVENT_KINDS, type EventKind } from '../events/kinds.ts'
import { assertOptions, booleanOption } from '../option-checks.ts'
import type { SampleObject } from '../testing/sample-data.ts'
import type { Configurations } from './configurations.ts'
import type { Delivery } from './delivery.ts'
import type { DeliveryOrder } from './delivery-record.ts'
import type { Dispatcher } from './dispatcher.ts'
import { checkFaults, type Faults } from './faults.ts'
import { toNotificationBodies } from './notification-bodies.ts'
import type { TriggerOptions } from './sandbox.ts'

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

  /** Notifies the Active configurations of the kind of what is all the data. */
  async notify(kind: EventKind, data: SampleObject, options: TriggerOptions): Promise<Delivery[]> {
    const faults = checkFaults({ ...this.#faults, ...checkNotifyOptions(options) })
    const { accountId, inline } = options
    const configurations = this.#configurations.active({ event: kind, accountId })
    // Without anybody to notify nothing has to be written; data that is no JSON is refused in either case.
    const bodies = toNotificationBodies(kind, data, {
      inline,
      burst: configurations.length ? faults.burst : 1,
    })
    const orders = configurations.flatMap((configuration) =>
      bodies.flatMap((body) => copies({ configuration, body, faults }, 1 + (faults.duplicate ?? 0))),
    )
    return await this.#dispatcher.deliver(orders)
  }
}

/** @throws TypeError for an option that does not exist or is out of range; gives the faults */
export function checkNotifyOptions(options: TriggerOptions): Faults {
  assertOptions(options, ['inline', 'accountId', 'faults'])
  const { inline, accountId } = options
  booleanOption('inline', inline, false)
  if (accountId !== undefined && typeof accountId !== 'string')
    throw new TypeError('"accountId" option must be a string')
  return checkFaults(options.faults)
}

/** @throws TypeError for a kind that the service does not know */
export function assertKind(kind: unknown): asserts kind is EventKind {
  if (!(EVENT_KINDS as readonly unknown[]).includes(kind))
    throw new TypeError(`"kind" must be one of ${EVENT_KINDS.join(', ')}`)
}

/** @throws TypeError for data that is not an object */
export function assertData(data: unknown): void {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new TypeError('"data" must be an object')
}

function copies(order: DeliveryOrder, count: number): DeliveryOrder[] {
  return Array.from({ length: count }, () => order)
}
