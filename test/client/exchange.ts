import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

/** One request as it arrived. */
export interface RecordedRequest {
  readonly method: string
  /** Path and query as they stood in the request line. */
  readonly url: string
  /** The path below the base address, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** What the service would say. */
export interface ServiceResponse {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
}

/** One request and the way to respond to it. */
export interface Exchange {
  readonly request: RecordedRequest
  readonly response: ServerResponse
  /** Does what was asked, and gives what the service would say, which is not sent. */
  apply(): ServiceResponse
  send(response: ServiceResponse): void
}

/** What happens to one request in place of the ordinary response. */
export type Step = (exchange: Exchange) => void | Promise<void>

/** The ordinary response. */
export const pass: Step = ({ apply, send }) => send(apply())

/** Another response, and nothing is done. An object is sent as JSON. */
export function respond(status: number, body?: unknown, headers: Record<string, string> = {}): Step {
  return ({ send }) => send(toResponse(status, body, headers))
}

/** The work is done, but the response is another one. */
export function applyThen(status: number, body?: unknown, headers: Record<string, string> = {}): Step {
  return ({ apply, send }) => {
    apply()
    send(toResponse(status, body, headers))
  }
}

/** The ordinary response, changed. */
export function changed(change: (ordinary: ServiceResponse) => ServiceResponse): Step {
  return ({ apply, send }) => send(change(apply()))
}

/** The connection ends before anything is done. */
export const cutBefore: Step = ({ response }) => void response.destroy()

/** The work is done, then the connection ends without a response. */
export const applyThenCut: Step = ({ apply, response }) => {
  apply()
  response.destroy()
}

/** The work is done, and the connection ends in the middle of the body. */
export const cutInBody: Step = ({ apply, response }) => {
  const bytes = startBody(response, apply())
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
}

/** Never responds, and does nothing. */
export const hang: Step = () => {}

/** The work is done, and no response comes. */
export const applyThenHang: Step = ({ apply }) => void apply()

/** The work is done; the head and half of the body come, the rest never does. */
export const stallInBody: Step = ({ apply, response }) => {
  const bytes = startBody(response, apply())
  response.write(bytes.subarray(0, bytes.length >> 1))
}

/** The body comes in small pieces without end. */
export function drip(piece: string | Uint8Array = ' ', everyMs = 5): Step {
  return ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(piece), everyMs)
    response.on('close', () => clearInterval(timer))
  }
}

/** A body as large as asked for, in pieces, without a declared length. */
export function flood(bytes: number, status = 200): Step {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    const piece = '[1,'.repeat(4096)
    let left = bytes
    const more = () => {
      while (left > 0 && !response.destroyed) {
        left -= piece.length
        if (!response.write(piece)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  }
}

/** Waits for the promise before the step. */
export function waitingFor(event: Promise<unknown>, step: Step = pass): Step {
  return async (exchange) => {
    await event
    await step(exchange)
  }
}

/** Runs something when the request has arrived, before the step. */
export function noting(note: (request: RecordedRequest) => void, step: Step = pass): Step {
  return (exchange) => {
    note(exchange.request)
    return step(exchange)
  }
}

/** JSON in which a bigint is written with every digit. */
export function toJson(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
  return JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? rawJSON(String(part)) : part))
}

export function toResponse(
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): ServiceResponse {
  if (body === undefined) return { status, headers }
  if (typeof body === 'string' || body instanceof Uint8Array) return { status, headers, body }
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: toJson(body) }
}

function startBody(response: ServerResponse, { status, headers, body = '' }: ServiceResponse): Buffer {
  const bytes = Buffer.from(body)
  response.writeHead(status, { ...headers, 'content-length': String(bytes.length) })
  return bytes
}
