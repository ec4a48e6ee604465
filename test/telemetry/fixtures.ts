import { tracingChannel } from 'node:diagnostics_channel'
import { onTestFinished } from 'vitest'
import { createNotification } from '../../src/testing/create-notification.ts'

export const clientId = 'client-of-the-tests'
export const logger = { warn() {}, error() {} }

/** A notification about a payment, or of another kind. */
export const notify = (id: number, kind = 'INBOUND_PAYMENT_STATUS_UPDATED') =>
  createNotification(kind, { clientId, data: { id } })

/** Subscribes to every channel until the test ends. */
export function subscribeToAll(tell: (name: string, event: string, message: object) => void): void {
  for (const name of ['receive', 'put', 'process']) {
    const channel = tracingChannel<string, object>(`payhook:${name}`)
    const on = (event: string) => (message: object) => tell(name, event, message)
    const subscribers = {
      ...{ start: on('start'), end: on('end'), error: on('error') },
      ...{ asyncStart: on('asyncStart'), asyncEnd: on('asyncEnd') },
    }
    channel.subscribe(subscribers)
    onTestFinished(() => void channel.unsubscribe(subscribers))
  }
}
