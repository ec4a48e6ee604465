import type { AnyReceiver } from '../../src/receiver/receiver.ts'

/** @throws TypeError if `receiver` is not a receiver, or not the only argument */
export function assertReceiver(receiver: AnyReceiver, others: readonly unknown[] = []): void {
  if (typeof receiver?.receive !== 'function') {
    throw new TypeError('"receiver" must be a receiver, such as one created with createReceiver()')
  }
  if (others.length > 0) throw new TypeError('receiveWebhooks() takes a receiver and no other argument')
}

/** @throws TypeError if `path` is not an absolute path */
export function assertPath(path: unknown): void {
  if (typeof path === 'string' && path.startsWith('/')) return
  throw new TypeError('"path" option must begin with a slash, such as /webhooks')
}
