import { Buffer } from 'node:buffer'
import { type Agent, type ClientRequest, type IncomingMessage, request as openHttp } from 'node:http'
import { type Agent as HttpsAgent, request as openHttps } from 'node:https'
import type { Closing } from './closing.ts'
import type { DeliveryAttempt } from './delivery.ts'

export interface AttemptOrder {
  readonly number: 1 | 2 | 3
  readonly url: string
  readonly body: string
  /** The `ACCESS-SIGNATURE` header; none when it is `undefined`. */
  readonly signature: string | undefined
  /** Cut the connection after half of the body. */
  readonly truncate: boolean
  readonly timeoutMs: number
}

export interface Agents {
  readonly http: Agent
  readonly https: HttpsAgent
}

type Outcome = Pick<DeliveryAttempt, 'status' | 'responseHeaders' | 'responseBody' | 'error'>

const MAX_RESPONSE_BYTES = 64 * 1024

/** Sends a notification once (service.md 4.5) and records what came of it; never rejects. */
export async function sendAttempt(
  order: AttemptOrder,
  agents: Agents,
  closing: Closing,
): Promise<DeliveryAttempt> {
  const { number, url, truncate } = order
  const whole = Buffer.from(order.body)
  const bytes = truncate ? whole.subarray(0, whole.length >> 1) : whole
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(whole.length),
    ...(order.signature === undefined ? {} : { 'ACCESS-SIGNATURE': order.signature }),
  }
  const startedAt = new Date()
  const start = performance.now()
  const outcome = await exchange(url, headers, bytes, order, agents, closing)
  const attempt: DeliveryAttempt = {
    number,
    startedAt,
    durationMs: performance.now() - start,
    request: { method: 'POST', url, headers, body: truncate ? bytes.toString() : order.body },
    ...outcome,
  }
  return Object.freeze(attempt)
}

/** Whether an attempt was successful: a whole answer of 2xx. A redirect is not followed, and is none. */
export function isDelivered({ status, error }: DeliveryAttempt): boolean {
  return error === undefined && status !== undefined && status >= 200 && status < 300
}

async function exchange(
  url: string,
  headers: Record<string, string>,
  bytes: Buffer,
  { truncate, timeoutMs }: AttemptOrder,
  agents: Agents,
  closing: Closing,
): Promise<Outcome> {
  let request: ClientRequest
  try {
    request = open(url, headers, agents)
  } catch (error) {
    // A URL that the configuration takes and node:http does not, such as one with broken percent signs before the @.
    return { error: toMessage(error) }
  }
  const stop = (reason: string) => request.destroy(new Error(reason))
  const timer = setTimeout(stop, timeoutMs, `no complete answer within ${timeoutMs} ms`)
  const forget = closing.add(() => stop('the sandbox was closed'))
  try {
    return await new Promise<Outcome>((settle) => {
      let answer: Outcome = {}
      request.on('error', (error) => settle({ ...answer, error: toMessage(error) }))
      // Comes last; where neither an answer nor an error came before, the connection was taken over or lost.
      request.on('close', () => settle({ ...answer, error: 'the connection was closed without an answer' }))
      request.on('response', (response) => {
        answer = { status: response.statusCode ?? 0, responseHeaders: toRecord(response.headers) }
        readBody(response, (part) => settle({ ...answer, ...part }))
      })
      if (truncate) request.write(bytes, () => stop('the connection was cut by the "truncate" fault'))
      else request.end(bytes)
    })
  } finally {
    clearTimeout(timer)
    forget()
  }
}

function open(url: string, headers: Record<string, string>, agents: Agents): ClientRequest {
  const target = new URL(url)
  const options = { method: 'POST', headers }
  return target.protocol === 'https:'
    ? openHttps(target, { ...options, agent: agents.https })
    : openHttp(target, { ...options, agent: agents.http })
}

/** Reads the answer's body up to the limit, and gives the connection up when there is more. */
function readBody(response: IncomingMessage, done: (part: Outcome) => void): void {
  const chunks: Buffer[] = []
  let length = 0
  const text = () => Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString()
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length <= MAX_RESPONSE_BYTES) return
    done({ responseBody: text() })
    response.destroy()
  })
  response.on('end', () => done({ responseBody: text() }))
  response.on('error', (error) => done({ responseBody: text(), error: toMessage(error) }))
}

function toRecord(headers: IncomingMessage['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return Object.fromEntries(entries)
}

function toMessage(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  // What is wrong with several addresses of a name has no message of its own.
  return message || code || 'the connection failed'
}
