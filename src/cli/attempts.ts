import type { IncomingHttpHeaders } from 'node:http'
import type { Body } from '../body-bytes.ts'
import { toBytes } from '../body-bytes.ts'
import { isJsonObject, type JsonValue } from '../json/json-value.ts'
import { parse } from '../parse.ts'
import type { AnyReceiver } from '../receiver/receiver.ts'
import type { Reply } from '../receiver/reply.ts'
import { explainSignature } from '../testing/explain-signature.ts'
import { SIGNATURE_HEADER } from '../verification/signature.ts'
import { readHeader, type WebhookRequest } from '../verification/webhook-request.ts'
import { forwardRequest } from './forward-request.ts'
import { paint, toOneLine } from './output.ts'

/** An attempt of the service to deliver a notification, as it arrived here. */
export interface Attempt {
  readonly time: string
  /** `verified`, or the code of the refusal. */
  readonly verdict: string
  /** Why it was refused, or why it could not be forwarded. */
  readonly why?: string
  readonly kind?: string
  readonly id?: string
  readonly status?: string
  readonly data?: JsonValue
  /** Status of the response. */
  readonly answer: number
  readonly latencyMs: number
}

interface Recording {
  readonly clientId: string
  readonly forward: URL | undefined
  /** All headers of the request, for forwarding. */
  readonly headers: IncomingHttpHeaders
  /** Ends forwarding. */
  readonly signal: AbortSignal
  report(attempt: Attempt): void
}

/** A receiver for one request that reports it, and returns the response of another URL if one is given. */
export function recordAttempts(
  receiver: AnyReceiver,
  { clientId, forward, headers, signal, report }: Recording,
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
      const own = await receiver.receive({ ...request, body })
      // A notification that could not be stored is sent again, and forwarded then.
      const { reply, why } =
        bytes === undefined || !forward || own.status >= 500
          ? { reply: own }
          : await forwardRequest(forward, { ...request, headers }, bytes, signal)
      report({
        time,
        ...judge(own, request, bytes, clientId),
        ...(why !== undefined && { why }),
        ...(bytes && describeBody(bytes)),
        answer: reply.status,
        latencyMs: Math.round(performance.now() - startedAt),
      })
      return reply
    },
  }
}

function judge(
  { status, body: answer }: Reply,
  { headers }: WebhookRequest,
  body: Uint8Array | undefined,
  clientId: string,
): Pick<Attempt, 'verdict' | 'why'> {
  if (status === 200) return { verdict: 'verified' }
  const { code: verdict, message } = JSON.parse(answer) as { code: string; message: string }
  if (status !== 401 || body === undefined) return { verdict, why: message }
  const explanation = explainSignature({ body, signature: readHeader(headers, SIGNATURE_HEADER), clientId })
  return { verdict, why: explanation.valid ? message : explanation.message }
}

/** The contents of the body, verified or not. */
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

const WIDTHS = [12, 20, 39, 19, 11, 3, 7]

/** One aligned line: time, verdict, kind, id, status, answer, latency and why. */
export function formatAttempt(attempt: Attempt): string {
  const { time, verdict, why = '', kind = '-', id = '-', status = '-', answer, latencyMs } = attempt
  const clock = new Date(time).toTimeString().slice(0, 8) + time.slice(19, 23)
  const cells = [clock, verdict, kind, id, status, String(answer), `${latencyMs} ms`]
  const padded = cells.map((cell, index) => toOneLine(cell).padEnd(WIDTHS[index] ?? 0))
  padded[1] = paint(verdict === 'verified' ? 'green' : 'red', padded[1] ?? '')
  return `${padded.join('  ')}  ${toOneLine(why)}`.trimEnd()
}
