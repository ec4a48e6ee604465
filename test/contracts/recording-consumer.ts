import type { DeadNotification, InboxConsumer, InboxDelivery } from '../../src/index.ts'

/** A consumer that records its calls. */
export interface RecordingConsumer extends InboxConsumer {
  readonly deliveries: InboxDelivery[]
  readonly deaths: DeadNotification[]
  readonly failures: unknown[]
  /** The attempts of one delivery, in order. */
  attemptsOf(signature: string): number[]
}

export function createConsumer(handle: (delivery: InboxDelivery) => unknown = () => {}): RecordingConsumer {
  const deliveries: InboxDelivery[] = []
  const deaths: DeadNotification[] = []
  const failures: unknown[] = []
  return {
    deliveries,
    deaths,
    failures,
    attemptsOf: (signature) =>
      deliveries.flatMap((delivery) => (delivery.signature === signature ? [delivery.attempt] : [])),
    async handle(delivery) {
      deliveries.push(delivery)
      return await handle(delivery)
    },
    dead: async (notification) => void deaths.push(notification),
    failed: (error) => void failures.push(error),
  }
}
