import type { AttemptJson, DeliveryDetailJson } from '../../../sandbox/control/control-json.ts'

/** What an outcome means, and what to do. */
type Advice = readonly [title: string, text: string]

const LOG = 'Your application failed. Its log says why. Fix it and resend.'
const SENDER =
  'The receiver does not accept the sender. Check the client id that it verifies with, that it verifies the raw bytes, and that no login protects this path.'
const PATH =
  'This path does not accept POST. Compare the registered URL with the path that your application mounts.'

/** By the code in the response of a payhook receiver, or else by status. */
const BY_RESPONSE: Readonly<Record<string, string>> = {
  signature_missing:
    'The receiver saw no ACCESS-SIGNATURE header. Does a proxy drop it, or is the fault "signature" on?',
  signature_malformed:
    'The header is not a signature to the receiver: it must be 64 lowercase hexadecimal digits.',
  signature_mismatch:
    'The receiver computes another signature. Use the client id of this sandbox as the key, over the exact bytes, before any body parser. "Check this signature" tries the usual mistakes.',
  callback_token_mismatch:
    'The receiver requires a callback token in its URL. Register the URL that withCallbackToken() makes.',
  body_consumed:
    'A body parser ran before payhook. Mount payhook first, or have the parser keep the raw body.',
  handler_failed: 'Your handler threw. Your log says why. Fix it and resend.',
  receiver_failed: 'The receiver failed before your handlers ran. Your log says why.',
  inbox_unavailable: 'The inbox could not store the notification. Is its database running?',
  inbox_misconfigured: 'The inbox cannot work with its settings. Your log says why.',
  401: SENDER,
  403: SENDER,
  404: PATH,
  405: PATH,
  413: 'The body is longer than the receiver allows.',
  415: 'The receiver does not accept this content type or encoding.',
  '3xx': 'Redirects are not followed. Register the URL that the redirect leads to.',
  '5xx': LOG,
}

const BY_ERROR: readonly (readonly [pattern: RegExp, ...Advice])[] = [
  [
    /ECONNREFUSED/,
    'Nothing listens at this address',
    'Start your application, or correct the URL on the Set up page. In a container, localhost is the container itself.',
  ],
  [/ENOTFOUND|EAI_AGAIN/, 'The name of the host is not known', 'Correct the URL on the Set up page.'],
  [
    /time|abort/i,
    'The receiver took too long',
    'Reply first and work later: keep the notification in an inbox.',
  ],
  [
    /cert|SSL|TLS/i,
    'The certificate is not trusted',
    'Start the sandbox with NODE_EXTRA_CA_CERTS for a certificate of your own.',
  ],
]

export function adviseOn({ state, attempts }: DeliveryDetailJson): Advice | undefined {
  const last = attempts.at(-1)
  if (state === 'dropped')
    return ['Dropped by a fault', 'Nothing was sent. Switch the fault off on the Faults page.']
  if (state === 'cancelled')
    return ['Cancelled', 'Its configuration was deactivated, or the sandbox was reset or closed.']
  if (!last || state === 'delivered') return undefined
  const [title, text] = explain(last)
  return [title, state === 'failed' ? text : `${text} The next attempt follows.`]
}

function explain({ status, error = '', responseBody = '' }: AttemptJson): Advice {
  if (status === undefined) {
    const [, title = 'No response', text = error] = BY_ERROR.find(([pattern]) => pattern.test(error)) ?? []
    return [title, text]
  }
  const code = /"code"\s*:\s*"([a-z_]+)"/.exec(responseBody)?.[1] ?? ''
  const text = BY_RESPONSE[code] ?? BY_RESPONSE[status] ?? BY_RESPONSE[`${String(status)[0]}xx`]
  return [`The receiver responded with ${status}`, text ?? 'Only a 2xx response counts as delivered.']
}
