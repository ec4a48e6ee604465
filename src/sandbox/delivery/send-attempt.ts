import { Buffer } from 'node:buffer'
import { type ClientRequest, type IncomingMessage, request as openHttp } from 'node:http'
import { request as openHttps } from 'node:https'
import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import type { Closing } from './closing.ts'
import type { DeliveryAttempt } from './delivery.ts'
import { type DeliveryRecord, toBodyBytes, toSignatureHeader } from './delivery-record.ts'
import type { AttemptFaults } from './faults.ts'

type Outcome = Pick<DeliveryAttempt, 'status' | 'responseHeaders' | 'responseBody' | 'error'>

const MAX_RESPONSE_BYTES = 4 * 1024

/** Sends a notification once and returns the record of the attempt. Never rejects. */
export async function sendAttempt(
  { callbackUrl: url, contentType, body }: Pick<DeliveryRecord, 'callbackUrl' | 'contentType' | 'body'>,
  number: 1 | 2 | 3,
  { drop, truncate, signature }: AttemptFaults,
  { clientId, attemptTimeoutMs }: Pick<CheckedSandboxOptions, 'clientId' | 'attemptTimeoutMs'>,
  closing: Closing,
): Promise<DeliveryAttempt> {
  const whole = toBodyBytes(body)
  const bytes = truncate ? whole.subarray(0, whole.length >> 1) : whole
  const signatureHeader = toSignatureHeader(body, signature, clientId)
  let headers: Record<string, string> = {
    'Content-Type': contentType,
    'Content-Length': String(whole.length),
    ...(signatureHeader === undefined ? {} : { 'ACCESS-SIGNATURE': signatureHeader }),
    // Set here, so that it is among the recorded headers.
    Connection: 'close',
  }
  const startedAt = new Date()
  const start = performance.now()
  let outcome: Outcome
  try {
    if (drop) {
      headers = {}
      throw new Error('nothing was sent, because of the "drop" fault')
    }
    // node:http rejects some valid URLs, such as one with a malformed escape in the user name.
    const request = (new URL(url).protocol === 'https:' ? openHttps : openHttp)(url, {
      method: 'POST',
      headers,
      agent: false,
    })
    headers = toSentHeaders(request)
    const stop = (reason: string) => request.destroy(new Error(reason))
    const timer = setTimeout(stop, attemptTimeoutMs, `no complete response within ${attemptTimeoutMs} ms`)
    const forget = closing.add(() => stop('the sandbox was closed'))
    if (truncate) request.write(bytes, () => stop('the connection was cut by the "truncate" fault'))
    else request.end(bytes)
    outcome = await readOutcome(request)
    clearTimeout(timer)
    forget()
  } catch (error) {
    outcome = { error: toMessage(error) }
  }
  const text = truncate ? bytes.toString() : body.text
  const request = { method: 'POST', url, headers, body: text } as const
  return { number, startedAt, durationMs: performance.now() - start, request, ...outcome }
}

/** Whether an attempt succeeded: a complete 2xx response. Redirects are not followed. */
export function isDelivered({ status, error }: DeliveryAttempt): boolean {
  return error === undefined && status !== undefined && status >= 200 && status < 300
}

/** The response, up to the limit of its body, after which the connection is closed. */
async function readOutcome(request: ClientRequest): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const chunks: Buffer[] = []
  let length = 0
  let response: IncomingMessage | undefined
  const end = (error?: string) =>
    resolve({ ...toResponse(response, chunks), ...(error === undefined ? {} : { error }) })
  request.on('response', (head) => {
    response = head
    head.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= MAX_RESPONSE_BYTES) return
      end()
      head.destroy()
    })
    head.on('end', () => end())
    head.on('error', (error) => end(toMessage(error)))
  })
  // A complete response may still be unread, and an error after it is not part of it.
  request.on('error', (error) => response?.complete || end(toMessage(error)))
  request.on('close', () => {
    if (response?.complete) return
    end(`the connection was closed ${response ? 'in the middle of the response' : 'without a response'}`)
  })
  return await promise
}

function toSentHeaders(request: ClientRequest): Record<string, string> {
  return Object.fromEntries(
    request.getRawHeaderNames().map((name) => [name, String(request.getHeader(name))]),
  )
}

function toResponse(response: IncomingMessage | undefined, chunks: readonly Buffer[]): Outcome {
  if (response === undefined) return {}
  const headers = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return {
    status: response.statusCode ?? 0,
    responseHeaders: Object.fromEntries(headers),
    responseBody: Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString(),
  }
}

function toMessage(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  // An AggregateError for several addresses has no message.
  return message || code || 'the connection failed'
}
