import { lookup } from 'node:dns/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { networkInterfaces } from 'node:os'
import { queryOf } from '../verification/callback-token.ts'
import { type HttpResponse, request } from './request.ts'

interface ForwardedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

/** Headers of the connection, which are not forwarded. */
const OF_THE_CONNECTION = /^(?:connection|content-length|expect|host|keep-alive|transfer-encoding|upgrade)$/

const RESPONSE_TIMEOUT_MS = 30_000

/**
 * Forwards a request unchanged: method, headers, query and exact bytes.
 *
 * @throws Failure if there was no response within 30 s, or before the signal was aborted
 */
export async function forwardRequest(
  target: URL,
  { method, url, headers, body }: ForwardedRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const to = new URL(target)
  // The query contains the callback token.
  for (const [name, value] of queryOf(url)) to.searchParams.append(name, value)
  return await request(to, {
    method,
    headers: toHeaderList(headers),
    body,
    timeoutMs: RESPONSE_TIMEOUT_MS,
    signal,
  })
}

function toHeaderList(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    OF_THE_CONNECTION.test(name) ? [] : [values ?? []].flat().map((value): [string, string] => [name, value]),
  )
}

/** Whether a URL leads to a port of this machine. */
export async function isOwnPort({ protocol, hostname, port }: URL, own: number): Promise<boolean> {
  if (Number(port || (protocol === 'https:' ? 443 : 80)) !== own) return false
  const { address } = await lookup(hostname.replace(/^\[|\]$/g, '')).catch(() => ({ address: '' }))
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return /^(?:127\.|0\.0\.0\.0$|::$)/.test(address) || addresses.some((each) => each.address === address)
}
