import type { DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'

/** What to do, by the error or the status of an attempt. docs/errors.md explains the codes of a receiver. */
const ADVICE: readonly (readonly [pattern: RegExp, text: string])[] = [
  [
    /ECONNREFUSED/,
    'Nothing listens at this address. Start your application, or correct the URL on the Set up page. In a container, localhost is the container itself.',
  ],
  [
    /no complete response|ETIMEDOUT/,
    'The receiver took too long. Reply first and work later: keep the notification in an inbox.',
  ],
  [
    /^40[13]$/,
    'The receiver does not accept the sender. Check the client id that it verifies with, that it verifies the raw bytes, and that no login protects this path.',
  ],
  [
    /^40[45]$/,
    'This path does not accept POST. Compare the registered URL with the path that your application mounts.',
  ],
  [/^3..$/, 'Redirects are not followed. Register the URL that the redirect leads to.'],
  [/^413$/, 'The body is longer than the receiver allows.'],
  [/^415$/, 'The receiver does not accept this content type or encoding.'],
  [/^429$/, 'The receiver limits requests. Exempt this path: the service only tries three times.'],
  [/^5..$/, 'Your application failed. Its log says why. Fix it and resend.'],
]

export function adviseOn({ state, attempts }: DeliveryDetailJson) {
  const last = attempts.at(-1)
  if (!last || state === 'delivered') return undefined
  const { error, status } = last
  const found = ADVICE.find(([pattern]) => pattern.test(error ?? String(status)))
  return {
    title: error === undefined ? `The receiver responded with ${status}` : 'No complete response',
    text: found?.[1] ?? 'Only a complete 2xx response counts as delivered.',
  }
}
