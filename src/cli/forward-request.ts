import type { IncomingHttpHeaders } from 'node:http'
import type { Reply } from '../receiver/reply.ts'
import { queryOf } from '../verification/callback-token.ts'

interface ForwardedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/** Headers of the connection, which are not forwarded. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

const RESPONSE_TIMEOUT_MS = 30_000

/**
 * Forwards a request unchanged: method, headers, query and exact bytes.
 *
 * @returns the response; a 502 with the reason if there was none within 30 s, or before the signal was aborted
 */
export async function forwardRequest(
  target: URL,
  { method, url, headers }: ForwardedRequest,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<{ reply: Reply; why?: string }> {
  const to = new URL(target)
  // The query contains the callback token.
  for (const [name, value] of queryOf(url)) to.searchParams.append(name, value)
  try {
    const response = await fetch(to, {
      method,
      headers: toHeaderList(headers),
      body: body as Uint8Array<ArrayBuffer>,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
    })
    const type = response.headers.get('content-type')
    return {
      reply: {
        status: response.status,
        headers: type === null ? {} : { 'content-type': type },
        body: await response.text(),
      },
    }
  } catch (error) {
    const { message } = ((error as Error).cause ?? error) as Error
    return {
      reply: { status: 502, headers: { 'content-type': 'text/plain' }, body: 'There was no response.' },
      why: `No response from ${target.origin}${target.pathname}: ${message}`,
    }
  }
}

function toHeaderList(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    OF_THE_CONNECTION.has(name) ? [] : [values ?? []].flat().map((value): [string, string] => [name, value]),
  )
}
