import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Body } from '../body-bytes.ts'
import { toBytes } from '../body-bytes.ts'
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
  async function pass(target: URL, bytes: Uint8Array): Promise<{ status: number; why?: string }> {
    const { status, headers, body, ...rest } = await forwardRequest(target, incoming, bytes, signal).catch(
      ({ message }: Error) => ({
        status: 502,
        headers: new Headers(),
        body: 'There was no response.',
        why: `No response from ${target.origin}${target.pathname}: ${message}`,
      }),
    )
    const type = headers.get('content-type')
    response.writeHead(status, type === null ? {} : { 'content-type': type }).end(body)
    return { status, ...rest }
  }

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
      // A notification that could not be stored is sent again, and forwarded then.
      const isForwarded = bytes !== undefined && forward !== undefined && reply.status < 500
      const { status, ...rest } = isForwarded ? await pass(forward, bytes as Uint8Array) : reply
      report({
        time,
        ...judge(reply, request, bytes, clientId),
        ...('why' in rest && rest),
        ...(bytes && describeBody(bytes)),
        response: status,
        latencyMs: Math.round(performance.now() - startedAt),
      })
      return reply
    },
  }
}

function judge(
  { status, body: text }: Reply,
  { headers }: WebhookRequest,
  body: Uint8Array | undefined,
  clientId: string,
): Pick<Attempt, 'verdict' | 'why'> {
  const reply = JSON.parse(text) as { duplicate?: boolean; code: string; message: string }
  if (status === 200) return { verdict: reply.duplicate ? 'duplicate' : 'verified' }
  const { code: verdict, message } = reply
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

/** Of time, verdict, kind, id, status, response and latency. */
const COLUMNS: readonly Fit[] = [
  { width: 12 },
  { width: 20 },
  { width: 39, least: 8 },
  { width: 19, least: 8 },
  { width: 11, least: 8 },
  { width: 3 },
  { width: 7 },
]
const COLORS: Readonly<Record<string, Painted['color']>> = { verified: 'green', duplicate: 'yellow' }

/** One aligned line: time, verdict, kind, id, status, response, latency and why. */
export function formatAttempt(attempt: Attempt): Text {
  const { time, verdict, why, kind = '-', id = '-', status = '-', response, latencyMs } = attempt
  const clock = new Date(time).toTimeString().slice(0, 8) + time.slice(19, 23)
  const colored = paint(COLORS[verdict] ?? 'red', verdict)
  const line = toTable([[clock, colored, kind, id, status, `${response}`, `${latencyMs} ms`]], COLUMNS)
  return why === undefined ? line : [...line, process.stdout.isTTY ? '\n  ' : '  ', toOneLine(why)]
}
