import { once } from 'node:events'
import { Agent, type IncomingMessage, request as openRequest } from 'node:http'
import { text } from 'node:stream/consumers'

/** A request over a real connection. */
export interface Sending {
  method?: string
  path?: string
  headers?: Record<string, string | string[]>
  /** A string or bytes have a declared length; chunks have none. */
  body?: Uint8Array | readonly Uint8Array[]
}

/** A request whose body has not ended. */
export interface Started {
  /** The status of the response. */
  readonly status: Promise<number>
  /** Resolves when the receiver, or `destroy`, has ended the request. */
  readonly closed: Promise<void>
  write(chunk: Uint8Array): void
  destroy(): void
}

/** How the contract suite sends requests. */
export interface HttpClient {
  send(port: number, sending: Sending): Promise<Received>
  start(port: number, headers: Record<string, string>, part: Uint8Array): Promise<Started>
}

export interface Received {
  status: number
  headers: IncomingMessage['headers']
  body: string
  json: { code?: string; message?: string; [key: string]: unknown }
}

/**
 * Sends a request to a local port and waits for the response, which may arrive before the body is sent.
 */
export async function sendRequest(
  port: number,
  { method = 'POST', path = '/', headers = {}, body }: Sending,
): Promise<Received> {
  const request = openRequest({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent: false,
    headers: withLength(headers, body),
  })
  // A receiver may close the connection after it rejected a body. The response has arrived by then.
  request.on('error', () => {})
  const responded = once(request, 'response') as Promise<[IncomingMessage]>
  for (const chunk of chunksOf(body)) request.write(chunk)
  request.end()
  const [response] = await responded
  return toReceived(response.statusCode ?? 0, response.headers, await text(response))
}

/**
 * Sends a request with an incomplete body. The connection is kept alive: otherwise this side would close it
 * after the response, and hide whether the receiver does.
 */
export async function startRequest(
  port: number,
  headers: Record<string, string>,
  part: Uint8Array,
): Promise<Started> {
  const request = openRequest({
    host: '127.0.0.1',
    port,
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers,
  })
  request.on('error', () => {})
  await new Promise((sent) => request.write(part, sent))
  const status = (once(request, 'response') as Promise<[IncomingMessage]>).then(
    ([response]) => response.resume().statusCode ?? 0,
  )
  // Not every test waits for a response.
  status.catch(() => {})
  return {
    status,
    // Unlike `once` of node:events, does not reject on a reset, which is one way of being closed.
    closed: new Promise((resolve) => request.once('close', resolve)),
    write: (chunk) => void request.write(chunk),
    destroy: () => void request.destroy(),
  }
}

export const http1Client: HttpClient = { send: sendRequest, start: startRequest }

export function withLength(
  headers: Sending['headers'],
  body: Sending['body'],
): Record<string, string | string[]> {
  return body instanceof Uint8Array
    ? { 'content-length': String(body.byteLength), ...headers }
    : { ...headers }
}

export function chunksOf(body: Sending['body']): readonly Uint8Array[] {
  if (body === undefined) return []
  return body instanceof Uint8Array ? [body] : body
}

export function toReceived(status: number, headers: Received['headers'], body: string): Received {
  try {
    return { status, headers, body, json: JSON.parse(body) }
  } catch {
    return { status, headers, body, json: {} }
  }
}
