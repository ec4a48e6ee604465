import { Buffer } from 'node:buffer'
import { type Agent, type ClientRequest, request as openHttp } from 'node:http'
import { request as openHttps } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { readResponse } from '../read-response.ts'
import type { Exchange, PlannedRequest } from './planned-request.ts'
import type { Target } from './resolve-target.ts'

/** Where to send, for how long, and until when. */
export interface Receiver extends Target {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export const MAX_RESPONSE_BYTES = 16 * 1_024

const PIECE_DELAY_MS = 40
const MAX_PAUSE_MS = 1_000

/**
 * Sends a request and reads the response, up to a limit. Rejects only if the signal is aborted.
 *
 * @param agent keeps the connection for the next request; without it, each request has its own
 */
export async function exchange(
  receiver: Receiver,
  planned: PlannedRequest,
  agent?: Agent,
): Promise<Exchange> {
  const { timeoutMs, signal } = receiver
  signal.throwIfAborted()
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(timeoutMs)
  const request = openRequest(receiver, planned, AbortSignal.any([signal, timeout]), agent)
  const outcome = readOutcome(request)
  await sendBody(request, planned, receiver)
  const read = { request: planned, ...(await outcome), durationMs: performance.now() - startedAt }
  signal.throwIfAborted()
  if (timeout.aborted) return { ...read, failure: 'timed out' }
  // The other side may close a connection that is kept while the next request is on its way.
  if (read.failure === 'closed' && request.reusedSocket) return await exchange(receiver, planned)
  return read
}

/** Sends the head and half of the body. Returns a function that closes the connection. */
export async function openStalled(receiver: Receiver, planned: PlannedRequest) {
  const request = openRequest(receiver, planned)
  const bytes = Buffer.from(planned.body)
  await write(request, bytes.subarray(0, bytes.length >> 1), receiver.timeoutMs)
  return () => void request.destroy()
}

/** Resolves when the bytes are on their way, or cannot be sent. */
async function write(request: ClientRequest, bytes: Uint8Array, limitMs: number): Promise<void> {
  const written = Promise.withResolvers<void>()
  request.once('error', () => written.resolve())
  request.write(bytes, () => written.resolve())
  await Promise.race([written.promise, delay(limitMs, undefined, { ref: false })])
}

function openRequest(
  { url, lookup }: Target,
  planned: PlannedRequest,
  signal?: AbortSignal,
  agent?: Agent,
): ClientRequest {
  const { method = 'POST', body, contentType = 'application/json', transfer, path } = planned
  const { signatures, signatureName = 'ACCESS-SIGNATURE' } = planned
  const hasBody = method !== 'GET'
  const headers = {
    ...(hasBody && contentType !== null && { 'Content-Type': contentType }),
    ...(hasBody && transfer !== 'chunked' && { 'Content-Length': Buffer.byteLength(body) }),
    ...(signatures.length > 0 && { [signatureName]: [...signatures] }),
    'User-Agent': 'payhook-check',
    ...planned.headers,
    ...(!agent && { Connection: 'close' }),
  }
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  const open = url.startsWith('https:') ? openHttps : openHttp
  const rest = path === undefined ? {} : { path }
  return open(url, { method, headers: sent, signal, lookup, agent: agent ?? false, ...rest })
}

/** Writes the body, unless the other side has closed the connection. */
async function sendBody(
  request: ClientRequest,
  { body, transfer }: PlannedRequest,
  { timeoutMs, signal }: Receiver,
): Promise<void> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (transfer === undefined || transfer === 'whole') return void request.end(bytes)
  const [first = bytes, ...others] = piecesOf(bytes)
  if (transfer === 'half') return void request.write(first, () => request.socket?.end())
  request.setNoDelay(true)
  // Connecting may take longer than the pauses, after which all pieces would arrive together.
  if (transfer === 'chunked') request.write(first)
  else await write(request, first, timeoutMs)
  const pauseMs = transfer === 'slowly' ? Math.min(timeoutMs / 10, MAX_PAUSE_MS) : PIECE_DELAY_MS
  for (const piece of others) {
    if (transfer !== 'chunked') await delay(pauseMs, undefined, { signal })
    if (request.destroyed) return
    request.write(piece)
  }
  request.end()
}

/** Splits a body in three: first within a letter beyond ASCII, if there is one near the start. */
export function piecesOf(bytes: Uint8Array): Uint8Array[] {
  const first = bytes.subarray(0, 1_000).findIndex((byte) => byte >= 0xc0) + 1 || bytes.length >> 1
  const second = (first + bytes.length) >> 1
  return [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]
}

async function readOutcome(request: ClientRequest): Promise<Omit<Exchange, 'request' | 'durationMs'>> {
  let isOpen = false
  request.on('socket', (socket) => {
    isOpen = request.reusedSocket
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      isOpen = true
    })
  })
  const { head, body, isCut, error } = await readResponse(request, MAX_RESPONSE_BYTES)
  // A connection may be reset before the event that it is open.
  const failure = isOpen || error?.code === 'ECONNRESET' ? 'closed' : 'unreachable'
  return {
    status: head?.statusCode,
    head: head?.rawHeaders,
    // The query may have the callback token.
    location: head?.headers.location?.replace(/\?.*/s, '?…'),
    isCut,
    text: body.toString('latin1'),
    failure: error && failure,
    message: error && (error.message || error.code || ''),
    code: error?.code,
  }
}
