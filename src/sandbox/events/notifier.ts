import { toEnvelope } from '../../testing/create-notification.ts'
import type { SampleValue } from '../../testing/sample-data.ts'
import type { Closing } from '../delivery/closing.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { DeliveryOrder } from '../delivery/delivery-record.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { FaultPlan } from '../delivery/fault-plan.ts'
import { checkCopies, checkFaults, type Faults, type NotificationFaults } from '../delivery/faults.ts'
import type { NotifyOptions } from '../sandbox.ts'
import type { Configuration } from '../state/configurations.ts'
import { checkNotifyOptions } from './check-notify-options.ts'

/** The configuration that gets a notification, and the kind that it gets. */
export interface Recipient {
  readonly kind: string
  readonly configuration: Configuration
}

/** The data of an event from the view of one account. */
export type DataFor = (accountId: string) => SampleValue

/** The event at an index of a burst. Without a burst there is one event. */
export type EventAt = (index: number, burst: number) => DataFor

/** The content of a notification: data for an envelope, or an exact body. */
export type Content = { readonly eventAt: EventAt } | { readonly body: string | Uint8Array }

/** Other properties of a notification. */
export type Extras = Partial<Pick<DeliveryOrder, 'contentType' | 'redeliveryOf'>>

/** Creates the notifications of events. */
export class Notifier {
  readonly #dispatcher: Dispatcher
  #faults: Faults = {}
  #plan = new FaultPlan<NotificationFaults>({})

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher
  }

  /** @throws TypeError if a fault is unknown or out of range */
  setFaults(faults: Faults | undefined): void {
    this.#faults = checkFaults(faults)
    this.#plan = toPlan(this.#faults)
  }

  get faults(): Faults {
    return this.#faults
  }

  get closing(): Closing {
    return this.#dispatcher.closing
  }

  /**
   * Prepares the deliveries. Each body is created when its order is consumed, so that a large burst does not
   * block the event loop.
   *
   * @throws TypeError if an option is unknown or out of range
   */
  prepare(
    recipients: readonly Recipient[],
    content: Content,
    options: NotifyOptions,
    extras: Extras = {},
  ): Iterable<DeliveryOrder> {
    const faults = checkNotifyOptions(options)
    checkCopies(faults, this.#faults)
    const { inline = false } = options
    const [general, own] = [this.#plan, toPlan(faults)]
    const burst = faults.burst ?? this.#faults.burst ?? 1

    function* orders(): Generator<DeliveryOrder> {
      if (recipients.length === 0) return
      for (let index = 0; index < burst; index++) {
        const bodyFor = toBodies(content, inline, index, burst)
        for (const recipient of recipients) {
          const { duplicate = 0, ...applied } = { ...general.next(), ...own.next() }
          const order = {
            ...recipient,
            body: bodyFor(recipient),
            contentType: 'application/json',
            ...extras,
            faults: Object.freeze({ ...applied, ...(duplicate > 0 && { duplicate }) }),
          }
          for (let copy = 0; copy <= duplicate; copy++) yield order
        }
      }
    }
    return orders()
  }

  /** Delivers prepared orders. Resolves when all deliveries are settled. */
  async deliver(orders: Iterable<DeliveryOrder>): Promise<Delivery[]> {
    return await this.#dispatcher.deliver(orders)
  }

  /** Makes `settled()` wait for work between deliveries. */
  async track<Result>(work: Promise<Result>): Promise<Result> {
    return await this.#dispatcher.track(work)
  }
}

function toPlan({ burst: _burst, ...faults }: Faults): FaultPlan<NotificationFaults> {
  return new FaultPlan(faults)
}

function toBodies(
  content: Content,
  inline: boolean,
  index: number,
  burst: number,
): (recipient: Recipient) => string | Uint8Array {
  if ('body' in content) return () => content.body
  const dataFor = content.eventAt(index, burst)
  return ({ kind, configuration }) => toEnvelope(kind, dataFor(configuration.accountId), inline)
}
