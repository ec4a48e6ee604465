import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { queryOf } from '../verification/callback-token.ts'
import { type HttpResponse, request } from './request.ts'

/** Headers of the connection, which are not forwarded. */
const OF_THE_CONNECTION = /^(?:connection|content-length|expect|host|keep-alive|transfer-encoding|upgrade)$/

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
  const options = { method, headers: toHeaderList(headers), body, signal }
  return await request(to, { ...options, timeoutMs: RESPONSE_TIMEOUT_MS }).catch(({ message }: Error) => ({
    status: 502,
    headers: new Headers(),
    body: Buffer.from('There was no response.'),
    why: `No response from ${target.origin}${target.pathname}: ${message}`,
  }))
}

function toHeaderList(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    OF_THE_CONNECTION.test(name) ? [] : [values ?? []].flat().map((value): [string, string] => [name, value]),
  )
}
