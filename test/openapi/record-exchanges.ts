import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange } from './exchange-validator.ts'

interface Started {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Recording {
  readonly listener: (exchange: Exchange) => void
  /** Ends what is still open. */
  readonly ends: Set<() => void>
}

const recordings = new Map<number, Recording>()

/**
 * Passes every exchange that ends at a port of this process to a listener, whoever sent it and however.
 *
 * @returns ends the recording, with the streams that are still open
 */
export function recordExchanges(port: number, listener: (exchange: Exchange) => void): () => void {
  const ends = new Set<() => void>()
  recordings.set(port, { listener, ends })
  return () => {
    recordings.delete(port)
    for (const end of ends) end()
  }
}

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as Started
  const recording = recordings.get(request.socket.localPort ?? 0)
  if (recording === undefined) return
  const { listener, ends } = recording
  const received: Buffer[] = []
  const sent: Buffer[] = []
  const { push } = request
  request.push = (chunk, encoding) => {
    if (chunk) received.push(Buffer.from(chunk))
    return push.call(request, chunk, encoding)
  }
  let written: object = {}
  const writeHead = response.writeHead as (...parameters: unknown[]) => never
  response.writeHead = (...parameters: unknown[]) => {
    written = parameters.find((one): one is object => typeof one === 'object' && one !== null) ?? {}
    return writeHead.apply(response, parameters)
  }
  for (const method of ['write', 'end'] as const) {
    const original = response[method] as (...parameters: unknown[]) => never
    response[method] = (...parameters: unknown[]) => {
      const [chunk] = parameters
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) sent.push(Buffer.from(chunk as string))
      return original.apply(response, parameters)
    }
  }
  const end = () => {
    if (!ends.delete(end)) return
    const responseHeaders = { ...response.getHeaders(), ...toLowerCase(written) }
    const isStream = responseHeaders['content-type'] === 'text/event-stream'
    // A response that was lost says nothing. A stream ends when its reader leaves.
    if (!response.writableFinished && !isStream) return
    const [path = '', query] = (request.url ?? '').split(/\?(.*)/s)
    listener({
      method: request.method ?? '',
      path,
      query: new URLSearchParams(query),
      headers: request.headers,
      body: Buffer.concat(received).toString(),
      status: response.statusCode,
      responseHeaders,
      responseBody: Buffer.concat(sent).toString(),
    })
  }
  ends.add(end)
  response.on('close', end)
})

/** Names of headers come in any case. */
function toLowerCase(headers: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
