import type { Receiver } from '../receiver/receiver.ts'
import type { Reply } from '../receiver/reply.ts'
import type { SignedRequest } from './create-notification.ts'

/** Options of {@link deliver}. */
export interface DeliverOptions {
  /** How long to wait for the response of a URL, in milliseconds. @default 10,000 */
  readonly timeoutMs?: number
}

/**
 * Delivers a notification to a receiver in this process, or by HTTP to a URL, and returns the response. It does
 * not follow redirects.
 *
 * @param target a receiver, or an absolute URL, which replaces the notification's own
 * @throws TypeError if the connection to the URL fails
 * @throws DOMException `TimeoutError` if the response takes longer than `timeoutMs`
 * @example
 * const { status } = await deliver('http://127.0.0.1:3000/webhooks', notification)
 */
export async function deliver(
  target: Pick<Receiver, 'receive'> | string | URL,
  notification: SignedRequest,
  { timeoutMs = 10_000 }: DeliverOptions = {},
): Promise<Reply> {
  if (typeof target === 'object' && 'receive' in target) return await target.receive(notification)
  const { method, headers, body } = notification
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(target, { method, headers, body, redirect: 'manual', signal })
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
}
