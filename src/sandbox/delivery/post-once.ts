import { Buffer } from 'node:buffer'
import { type Agent, type ClientRequest, type IncomingMessage, request as openHttp } from 'node:http'
import { type Agent as HttpsAgent, request as openHttps } from 'node:https'
import type { DeliveryAttempt } from './delivery.ts'

/** A request to send. */
export interface Sending {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  /** Close the connection after the bytes, without waiting for a response. */
  readonly truncate: boolean
}

export interface Agents {
  readonly http: Agent
  readonly https: HttpsAgent
}

/** The sent headers and the result. */
export interface PostOutcome
  extends Pick<DeliveryAttempt, 'status' | 'responseHeaders' | 'responseBody' | 'error'> {
  readonly sentHeaders: Readonly<Record<string, string>>
  /** Whether a kept-alive connection turned out to be closed before any response arrived. */
  readonly wasStale: boolean
}

const MAX_RESPONSE_BYTES = 4 * 1024

/**
 * Sends a request; never rejects.
 *
 * @param agents the kept-alive connections. Without agents, the connection is new.
 * @param signal aborted with an Error as the reason
 */
export async function postOnce(
  sending: Sending,
  agents: Agents | undefined,
  signal: AbortSignal,
): Promise<PostOutcome> {
  let request: ClientRequest
  try {
    request = open(sending, agents)
  } catch (error) {
    // node:http rejects some valid URLs, such as one with a malformed escape in the user name.
    return { sentHeaders: sending.headers, wasStale: false, error: toMessage(error) }
  }
  const sentHeaders = toSentHeaders(request)
  let stopped = false
  const stop = (reason: Error) => {
    stopped = true
    request.destroy(reason)
  }
  const abort = () => stop(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await new Promise<PostOutcome>((settle) => {
      let response: IncomingMessage | undefined
      const chunks: Buffer[] = []
      const end = (error?: string) => {
        const wasStale = error !== undefined && response === undefined && request.reusedSocket && !stopped
        settle({
          sentHeaders,
          wasStale,
          ...toOutcome(response, chunks),
          ...(error === undefined ? {} : { error }),
        })
      }
      request.on('response', (head) => {
        response = head
        collect(head, chunks, end)
      })
      // A complete response may still be unread, and an error after it is not part of it.
      request.on('error', (error) => response?.complete || end(toMessage(error)))
      request.on('close', () => {
        if (response?.complete) return
        end(`the connection was closed ${response ? 'in the middle of the response' : 'without a response'}`)
      })
      if (signal.aborted) abort()
      else if (!sending.truncate) request.end(sending.bytes)
      else
        request.write(sending.bytes, () => stop(new Error('the connection was cut by the "truncate" fault')))
    })
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function open({ url, headers }: Sending, agents: Agents | undefined): ClientRequest {
  const target = new URL(url)
  // Set here, so that it is among the recorded headers.
  const options = { method: 'POST', headers: { ...headers, Connection: agents ? 'keep-alive' : 'close' } }
  return target.protocol === 'https:'
    ? openHttps(target, { ...options, agent: agents?.https ?? false })
    : openHttp(target, { ...options, agent: agents?.http ?? false })
}

/** Reads the response body up to the limit, and closes the connection if there is more. */
function collect(response: IncomingMessage, chunks: Buffer[], end: (error?: string) => void): void {
  let length = 0
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length <= MAX_RESPONSE_BYTES) return
    end()
    response.destroy()
  })
  response.on('end', () => end())
  response.on('error', (error) => end(toMessage(error)))
}

function toSentHeaders(request: ClientRequest): Readonly<Record<string, string>> {
  const entries = request.getRawHeaderNames().map((name) => [name, String(request.getHeader(name))])
  return Object.freeze(Object.fromEntries(entries))
}

function toOutcome(response: IncomingMessage | undefined, chunks: readonly Buffer[]) {
  if (response === undefined) return {}
  const headers = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return {
    status: response.statusCode ?? 0,
    responseHeaders: Object.freeze(Object.fromEntries(headers)),
    responseBody: Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString(),
  }
}

function toMessage(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  // An AggregateError for several addresses has no message.
  return message || code || 'the connection failed'
}
