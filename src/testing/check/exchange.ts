import { Buffer } from 'node:buffer'
import { type Agent, type ClientRequest, request as openHttp } from 'node:http'
import { request as openHttps } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { readResponse } from '../read-response.ts'
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
  /** What the response has in it, although the request had not. */
  readonly revealed?: readonly string[]
  /** Why there is no complete response. */
  readonly failure?: 'unreachable' | 'closed' | 'timed out'
  /** The message of the failure, and its code. */
  readonly message?: string
  readonly code?: string
}

/** A case with its requests and what came back. */
export interface SentCase {
  readonly id: string
  readonly planned: readonly PlannedRequest[]
  /** Fewer than requests if the check stopped. */
  readonly exchanges: readonly Exchange[]
}

export interface ExchangeLimits {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** What a response must not have in it, by its name. */
export type Secrets = Readonly<Record<string, readonly string[]>>

export const MAX_RESPONSE_BYTES = 16 * 1_024

const PIECE_DELAY_MS = 40

/**
 * Sends a request and reads the response, up to a limit. Rejects only if the signal is aborted.
 *
 * @param agent keeps the connection for the next request; without it, each request has its own
 */
export async function exchange(
  target: Target,
  planned: PlannedRequest,
  { timeoutMs, signal }: ExchangeLimits,
  secrets: Secrets = {},
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
  const outcome = readOutcome(request, secrets)
  await sendBody(request, planned)
  const read = await outcome
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  // The other side may close a connection that is kept while the next request is on its way.
  if (read.failure === 'closed' && request.reusedSocket && !isLate)
    return await exchange(target, planned, { timeoutMs, signal }, secrets)
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

function openRequest({ href, lookup }: Target, planned: PlannedRequest, agent?: Agent): ClientRequest {
  const { method = 'POST', body, contentType = 'application/json', transfer, path } = planned
  const { signatures, signatureName = 'ACCESS-SIGNATURE' } = planned
  const hasBody = method !== 'GET'
  const headers = {
    ...(hasBody && contentType !== null && { 'Content-Type': contentType }),
    ...(hasBody && transfer !== 'chunked' && { 'Content-Length': Buffer.byteLength(body) }),
    ...(signatures.length > 0 && { [signatureName]: [...signatures] }),
    'User-Agent': 'payhook-check',
    ...(!agent && { Connection: 'close' }),
  }
  const open = href.startsWith('https:') ? openHttps : openHttp
  return open(href, { method, headers, lookup, agent: agent ?? false, ...(path !== undefined && { path }) })
}

/** Writes the body, unless the other side has closed the connection. */
async function sendBody(request: ClientRequest, { body, transfer }: PlannedRequest): Promise<void> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const [first = bytes, ...others] = piecesOf(bytes)
  if (transfer === 'half') {
    request.write(first, () => request.socket?.end())
  } else if (transfer === 'in pieces' || transfer === 'chunked') {
    request.setNoDelay(true)
    request.write(first)
    for (const piece of others) {
      if (transfer === 'in pieces') await delay(PIECE_DELAY_MS)
      if (!request.destroyed) request.write(piece)
    }
    if (!request.destroyed) request.end()
  } else {
    request.end(bytes)
  }
}

/** Splits a body in three: first within a letter beyond ASCII, if there is one near the start. */
export function piecesOf(bytes: Uint8Array): Uint8Array[] {
  const first = bytes.subarray(0, 1_000).findIndex((byte) => byte >= 0xc0) + 1 || bytes.length >> 1
  const second = (first + bytes.length) >> 1
  return [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]
}

async function readOutcome(request: ClientRequest, secrets: Secrets): Promise<Omit<Exchange, 'durationMs'>> {
  let isOpen = false
  request.on('socket', (socket) => {
    isOpen = request.reusedSocket
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      isOpen = true
    })
  })
  const { head, body, isCut, error } = await readResponse(request, MAX_RESPONSE_BYTES)
  // The query may have the callback token.
  const location = head?.headers.location?.replace(/\?.*/s, '?…')
  // PHP writes a solidus of JSON as `\/`.
  const parts = [...(head?.rawHeaders ?? []), body.toString('latin1').replaceAll('\\/', '/')]
  const revealed = Object.entries(secrets)
    .filter(([, forms]) => forms.some((form) => parts.some((part) => part.includes(form))))
    .map(([name]) => name)
  return {
    ...(head && { status: head.statusCode ?? 0 }),
    ...(location !== undefined && { location }),
    ...(isCut && { isCut }),
    ...(revealed.length > 0 && { revealed }),
    ...(error && {
      // A connection may be reset before the event that it is open.
      failure: isOpen || error.code === 'ECONNRESET' ? 'closed' : 'unreachable',
      message: error.message || error.code || '',
      ...(error.code !== undefined && { code: error.code }),
    }),
  }
}
