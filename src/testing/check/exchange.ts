import { Buffer } from 'node:buffer'
import { type Agent, type ClientRequest, type IncomingMessage, request as openHttp } from 'node:http'
import { request as openHttps } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import type { PlannedRequest } from './planned-request.ts'
import type { Target } from './resolve-target.ts'

/** A request and what came back. */
export interface Exchange {
  readonly durationMs: number
  readonly status?: number
  /** Where a redirect leads. */
  readonly location?: string
  /** The body is longer than the limit, and was not read to its end. */
  readonly isCut?: boolean
  /** The body or a header has the right signature, which was not sent. */
  readonly revealed?: boolean
  /** Why there is no complete response. */
  readonly failure?: 'unreachable' | 'closed' | 'timed out'
  /** The message of the failure. */
  readonly message?: string
}

export interface ExchangeLimits {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export const MAX_RESPONSE_BYTES = 16 * 1_024

const PIECES = 2
const PIECE_DELAY_MS = 40

/**
 * Sends a request and reads the response, up to a limit. Rejects only if the signal is aborted.
 *
 * @param secret what the response must not have in it
 * @param agent keeps the connection for the next request; without it, each request has its own
 */
export async function exchange(
  target: Target,
  planned: PlannedRequest,
  { timeoutMs, signal }: ExchangeLimits,
  secret?: string,
  agent?: Agent,
): Promise<Exchange> {
  signal.throwIfAborted()
  const startedAt = performance.now()
  const request = openRequest(target, planned, agent)
  const stop = () => request.destroy()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    stop()
  }, timeoutMs)
  signal.addEventListener('abort', stop)
  const outcome = readOutcome(request, secret)
  await sendBody(request, planned)
  const read = await outcome
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  // The other side may close a connection that is kept while the next request is on its way.
  if (read.failure === 'closed' && request.reusedSocket && !isLate)
    return await exchange(target, planned, { timeoutMs, signal }, secret)
  const durationMs = performance.now() - startedAt
  return isLate ? { ...read, durationMs, failure: 'timed out' } : { ...read, durationMs }
}

/** Sends the head and half of the body. Returns a function that closes the connection. */
export async function openStalled(
  target: Target,
  planned: PlannedRequest,
  timeoutMs: number,
): Promise<() => void> {
  const request = openRequest(target, planned)
  const opened = Promise.withResolvers<void>()
  const timer = setTimeout(opened.resolve, timeoutMs)
  request.on('error', () => opened.resolve()).on('close', () => opened.resolve())
  const bytes = Buffer.from(planned.body)
  request.write(bytes.subarray(0, bytes.length >> 1), () => opened.resolve())
  await opened.promise
  clearTimeout(timer)
  return () => request.destroy()
}

function openRequest(target: Target, planned: PlannedRequest, agent?: Agent): ClientRequest {
  const { method = 'POST', body, signatures, signatureName = 'ACCESS-SIGNATURE', transfer } = planned
  const { href, lookup } = target.withToken(planned.token)
  const headers = {
    ...(method === 'POST' && { 'Content-Type': 'application/json' }),
    ...(method === 'POST' && transfer !== 'chunked' && { 'Content-Length': Buffer.byteLength(body) }),
    ...(signatures.length > 0 && { [signatureName]: [...signatures] }),
    'User-Agent': 'payhook-check',
    ...(!agent && { Connection: 'close' }),
  }
  const open = href.startsWith('https:') ? openHttps : openHttp
  return open(href, { method, headers, lookup, agent: agent ?? false })
}

/** Writes the body, unless the other side has closed the connection. */
async function sendBody(request: ClientRequest, { body, transfer }: PlannedRequest): Promise<void> {
  const bytes = Buffer.from(body)
  if (transfer === 'half') {
    request.write(bytes.subarray(0, bytes.length >> 1), () => request.socket?.end())
  } else if (transfer === 'in pieces' || transfer === 'chunked') {
    request.setNoDelay(true)
    for (const piece of toPieces(bytes)) {
      if (request.destroyed) return
      request.write(piece)
      await delay(PIECE_DELAY_MS)
    }
    request.end()
  } else {
    request.end(bytes)
  }
}

/** Pieces, of which the first ends within a letter if there is one beyond ASCII. */
function toPieces(bytes: Buffer): Buffer[] {
  const first = bytes.findIndex((byte) => byte >= 0xc0) + 1
  const length = Math.ceil((bytes.length - first) / PIECES)
  const starts = Array.from({ length: PIECES }, (_, index) => first + index * length)
  return [bytes.subarray(0, first), ...starts.map((start) => bytes.subarray(start, start + length))]
}

async function readOutcome(request: ClientRequest, secret?: string): Promise<Omit<Exchange, 'durationMs'>> {
  const { promise, resolve } = Promise.withResolvers<Omit<Exchange, 'durationMs'>>()
  const chunks: Buffer[] = []
  let length = 0
  let response: IncomingMessage | undefined
  let isOpen = false
  const end = (rest: Pick<Exchange, 'failure' | 'message' | 'isCut'> = {}) => {
    const parts = [...(response?.rawHeaders ?? []), Buffer.concat(chunks)]
    const revealed = secret !== undefined && parts.some((part) => part.includes(secret))
    resolve({ ...toHead(response), ...(revealed && { revealed }), ...rest })
  }
  const fail = ({ code = '', message }: NodeJS.ErrnoException) => {
    // A complete response may be followed by an error, because the rest of the body was not wanted.
    if (response?.complete) return end()
    // A connection may be reset before the event that it is open.
    const failure = isOpen || code === 'ECONNRESET' ? 'closed' : 'unreachable'
    end({ failure, message: message || code })
  }
  request.on('socket', (socket) => {
    isOpen = request.reusedSocket
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      isOpen = true
    })
  })
  request.on('response', (head) => {
    response = head
    head.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= MAX_RESPONSE_BYTES) return
      end({ isCut: true })
      request.destroy()
    })
    head.on('end', () => end())
    head.on('error', fail)
  })
  request.on('error', fail)
  request.on('close', () => fail(new Error('')))
  return await promise
}

function toHead(response: IncomingMessage | undefined): Pick<Exchange, 'status' | 'location'> {
  if (response === undefined) return {}
  const { statusCode = 0, headers } = response
  // The query may have the callback token.
  const location = headers.location?.replace(/\?.*/s, '?…')
  return { status: statusCode, ...(location !== undefined && { location }) }
}
