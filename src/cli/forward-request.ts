import type { IncomingMessage } from 'node:http'
import { queryOf } from '../verification/callback-token.ts'
import { type HttpResponse, request } from './request.ts'

/** Headers that are not forwarded: of the connection, and one that asks for a compressed response. */
const OWN = /^(?:accept-encoding|connection|content-length|expect|host|keep-alive|transfer-encoding|upgrade)$/

const RESPONSE_TIMEOUT_MS = 30_000

/** Without a response within 30 s, or before the signal is aborted, it is a 502 that says why. */
export async function forwardRequest(
  target: URL,
  { method = '', url = '', headers }: IncomingMessage,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<HttpResponse & { why?: string }> {
  const to = new URL(target)
  // The query contains the callback token.
  for (const [name, value] of queryOf(url)) to.searchParams.append(name, value)
  const forwarded = Object.entries(headers).filter(([name]) => !OWN.test(name))
  const options = { method, headers: Object.fromEntries(forwarded), body, signal }
  return await request(to, { ...options, timeoutMs: RESPONSE_TIMEOUT_MS }).catch(({ message }: Error) => ({
    status: 502,
    headers: {},
    body: Buffer.from('There was no response.'),
    why: `No response from ${target.origin}${target.pathname}: ${message}`,
  }))
}
