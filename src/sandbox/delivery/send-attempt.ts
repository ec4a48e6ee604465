import { request as openHttp } from 'node:http'
import { request as openHttps } from 'node:https'
import { type RawResponse, readResponse } from '../../testing/read-response.ts'
import { sign } from '../../verification/signature.ts'
import { type DeliveryAttempt, type DeliveryRecord, type SignedBody, toBodyBytes } from '../state/delivery.ts'
import type { AttemptFaults } from '../state/faults.ts'
import type { CheckedSandboxOptions } from '../state/sandbox-options.ts'
import type { Closing } from './closing.ts'

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
  const bytes = toBodyBytes(body)
  const signatureHeader = toSignatureHeader(body, signature, clientId)
  let headers: Record<string, string> = {
    'Content-Type': contentType,
    'Content-Length': String(bytes.length),
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
    headers = Object.fromEntries(
      request.getRawHeaderNames().map((name) => [name, String(request.getHeader(name))]),
    )
    const stop = (reason: string) => request.destroy(new Error(reason))
    const timer = setTimeout(stop, attemptTimeoutMs, `no complete response within ${attemptTimeoutMs} ms`)
    const forget = closing.add(() => stop('the sandbox was closed'))
    if (truncate) {
      const half = bytes.subarray(0, bytes.length >> 1)
      request.write(half, () => stop('the connection was cut by the "truncate" fault'))
    } else request.end(bytes)
    outcome = toOutcome(await readResponse(request, MAX_RESPONSE_BYTES))
    clearTimeout(timer)
    forget()
  } catch (error) {
    outcome = { error: (error as Error).message }
  }
  return { number, startedAt, durationMs: performance.now() - start, headers, ...outcome }
}

/** Whether an attempt succeeded: a complete 2xx response. Redirects are not followed. */
export function isDelivered({ status, error }: DeliveryAttempt): boolean {
  return error === undefined && status !== undefined && status >= 200 && status < 300
}

function toOutcome({ head, body, error }: RawResponse): Outcome {
  const outcome = error && {
    // An AggregateError for several addresses has no message.
    error:
      error.message ||
      error.code ||
      `the connection was closed ${head ? 'in the middle of the response' : 'without a response'}`,
  }
  if (head === undefined) return { ...outcome }
  const headers = Object.entries(head.headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return {
    status: head.statusCode ?? 0,
    responseHeaders: Object.fromEntries(headers),
    responseBody: body.toString(),
    ...outcome,
  }
}

/** The key of a signature that a fault makes wrong. A check of such a signature names it. */
export function wrongClientId(clientId: string): string {
  return `not-${clientId}`
}

function toSignatureHeader(
  body: SignedBody,
  fault: AttemptFaults['signature'],
  clientId: string,
): string | undefined {
  if (fault === 'missing') return undefined
  if (fault === 'wrong') return sign({ body: toBodyBytes(body), clientId: wrongClientId(clientId) })
  return body.signature
}
