import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Body, toBytes } from '../body-bytes.ts'
import { isJsonObject, type JsonValue } from '../json/json-value.ts'
import { parse } from '../parse.ts'
import type { AnyReceiver } from '../receiver/receiver.ts'
import type { Reply } from '../receiver/reply.ts'
import { explainSignature } from '../testing/explain-signature.ts'
import { readHeader, type WebhookRequest } from '../verification/request-verifier.ts'
import { SIGNATURE_HEADER } from '../verification/signature.ts'
import { forwardRequest } from './forward-request.ts'
import { type Painted, paint, type Text, toOneLine } from './output.ts'
import { type Fit, toTable } from './table.ts'

/** An attempt of the service to deliver a notification, as it arrived here. */
export interface Attempt {
  readonly time: string
  /** `verified`, `duplicate` if it was also stored before, or the code of the rejection. */
  readonly verdict: string
  /** Why it was rejected, or why it could not be forwarded. */
  readonly why?: string
  readonly kind?: string
  readonly id?: string
  readonly status?: string
  readonly data?: JsonValue
  /** Status of the response. */
  readonly response: number
  readonly latencyMs: number
}

interface Recording {
  readonly clientId: string
  readonly forward: URL | undefined
  /** Ends forwarding. */
  readonly signal: AbortSignal
  report(attempt: Attempt): void
}

/** A receiver for one request that reports it, and returns the response of another URL if one is given. */
export function recordAttempts(
  receiver: AnyReceiver,
  { clientId, forward, signal, report }: Recording,
  incoming: IncomingMessage,
  response: ServerResponse,
): AnyReceiver {
  return {
    async receive(request) {
      const time = new Date().toISOString()
      const startedAt = performance.now()
      const { body: read } = request
      let bytes: Uint8Array | undefined
      const body = async (maxBytes: number): Promise<Body> => {
        bytes = toBytes(typeof read === 'function' ? await read(maxBytes) : read)
        return bytes
      }
      const reply = await receiver.receive({ ...request, body })
      const attempt = { time, ...judge(reply, request, bytes, clientId), ...(bytes && describeBody(bytes)) }
      let { status } = reply
      // A notification that could not be stored is sent again, and forwarded then.
      if (bytes !== undefined && forward !== undefined && status < 500) {
        const forwarded = await forwardRequest(forward, incoming, bytes, signal)
        const type = forwarded.headers['content-type']
        response
          .writeHead(forwarded.status, type === undefined ? {} : { 'content-type': type })
          .end(forwarded.body)
        status = forwarded.status
        if (forwarded.why !== undefined) attempt.why = forwarded.why
      }
      report({ ...attempt, response: status, latencyMs: Math.round(performance.now() - startedAt) })
      return reply
    },
  }
}

function judge(
  { status, body: text }: Reply,
  { headers }: WebhookRequest,
  body: Uint8Array | undefined,
  clientId: string,
): { verdict: string; why?: string } {
  const { duplicate, code: verdict, message: why } = JSON.parse(text)
  if (status === 200) return { verdict: duplicate ? 'duplicate' : 'verified' }
  if (status !== 401 || body === undefined) return { verdict, why }
  const explanation = explainSignature({ body, signature: readHeader(headers, SIGNATURE_HEADER), clientId })
  return { verdict, why: explanation.valid ? why : explanation.message }
}

function describeBody(body: Uint8Array): Pick<Attempt, 'kind' | 'id' | 'status' | 'data'> {
  try {
    const event = parse(body)
    const data = event.data as JsonValue
    const { id, status } = isJsonObject(data) ? data : {}
    return {
      kind: event.type === 'UNRECOGNIZED' ? event.kind : event.type,
      ...(id !== undefined && { id: String(id) }),
      ...(typeof status === 'string' && { status }),
      data,
    }
  } catch {
    return {}
  }
}

/** Of time, verdict, kind, id, status, response and latency. */
const COLUMNS: readonly Fit[] = [
  ...[{ width: 12 }, { width: 20 }, { width: 39, least: 8 }, { width: 19, least: 8 }],
  ...[{ width: 11, least: 8 }, { width: 3 }, { width: 7 }],
]
const COLORS: Readonly<Record<string, Painted['color']>> = { verified: 'green', duplicate: 'yellow' }

export function formatAttempt(attempt: Attempt): Text {
  const { time, verdict, why, kind = '-', id = '-', status = '-', response, latencyMs } = attempt
  const clock = new Date(time).toTimeString().slice(0, 8) + time.slice(19, 23)
  const colored = paint(COLORS[verdict] ?? 'red', verdict)
  const line = toTable([[clock, colored, kind, id, status, `${response}`, `${latencyMs} ms`]], COLUMNS)
  return why === undefined ? line : [...line, process.stdout.isTTY ? '\n  ' : '  ', toOneLine(why)]
}
