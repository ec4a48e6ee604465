import type { AttemptJson, DeliverySummaryJson } from '../../../sandbox/control/wire.ts'

/** What an outcome means, and what to do. */
export interface Advice {
  readonly tone: 'ok' | 'bad' | 'warn'
  readonly title: string
  readonly text: string
}

const BY_CODE: Record<string, string> = {
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
  inbox_unavailable: 'The inbox could not store the notification. Is its database running?',
}

/** Explains the outcome of a delivery. */
export function adviseOn(delivery: DeliverySummaryJson): Advice | undefined {
  const last = delivery.attempts.at(-1)
  if (delivery.state === 'dropped')
    return {
      tone: 'warn',
      title: 'Dropped by a fault',
      text: 'Nothing was sent. Switch the fault off on the Faults page.',
    }
  if (delivery.state === 'cancelled')
    return {
      tone: 'warn',
      title: 'Cancelled',
      text: 'Its configuration was deactivated, or the sandbox was reset or closed.',
    }
  if (!last || delivery.state === 'delivered') return undefined
  const explained = explain(last, delivery.url)
  if (delivery.state === 'failed') return { tone: 'bad', ...explained }
  return { tone: 'warn', ...explained, text: `${explained.text} The next attempt follows.` }
}

function explain(
  { status, error, responseBody }: Partial<AttemptJson>,
  url: string,
): { title: string; text: string } {
  if (status === undefined) return explainError(error ?? 'No response', url)
  const text = BY_CODE[codeOf(responseBody)]
  const title = `The receiver responded with ${status}`
  if (text) return { title, text }
  if (status === 401 || status === 403)
    return {
      title,
      text: 'The receiver does not accept the sender. Check the client id that it verifies with, that it verifies the raw bytes, and that no login protects this path.',
    }
  if (status === 404 || status === 405)
    return {
      title,
      text: 'This path does not accept POST. Compare the registered URL with the path that your application mounts.',
    }
  if (status === 413) return { title, text: 'The body is longer than the receiver allows.' }
  if (status === 415) return { title, text: 'The receiver does not accept this content type or encoding.' }
  if (status >= 300 && status < 400)
    return { title, text: 'Redirects are not followed. Register the URL that the redirect leads to.' }
  if (status >= 500) return { title, text: 'Your application failed. Its log says why. Fix it and resend.' }
  return { title, text: 'Only a 2xx response counts as delivered.' }
}

function explainError(error: string, url: string): { title: string; text: string } {
  const host = URL.canParse(url) ? new URL(url).host : url
  if (/ECONNREFUSED/.test(error))
    return {
      title: `Nothing listens at ${host}`,
      text: 'Start your application, or correct the URL on the Set up page. In a container, localhost is the container itself.',
    }
  if (/ENOTFOUND|EAI_AGAIN/.test(error))
    return { title: `The name ${host} is not known`, text: 'Correct the URL on the Set up page.' }
  if (/time|abort/i.test(error))
    return {
      title: 'The receiver took too long',
      text: 'Reply first and work later: keep the notification in an inbox.',
    }
  if (/cert|SSL|TLS/i.test(error))
    return {
      title: 'The certificate is not trusted',
      text: 'Start the sandbox with NODE_EXTRA_CA_CERTS for a certificate of your own.',
    }
  return { title: 'No response', text: error }
}

function codeOf(body: string | undefined): string {
  return /"code"\s*:\s*"([a-z_]+)"/.exec(body ?? '')?.[1] ?? ''
}
