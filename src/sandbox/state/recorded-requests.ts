import { Buffer } from 'node:buffer'
import type { MiddlewareHandler } from 'hono'
import { readBody } from '../service/read-body.ts'
import { maskHeaders, maskSecrets } from './mask-secrets.ts'

/** A request of a client. Its secrets and tokens are masked. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  /** With its question mark; empty if there is none. */
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  /** The first 16 KiB. */
  readonly body: string
  readonly requestId?: string
  readonly status: number
  /** The response to a failed request. */
  readonly responseBody?: string
  readonly at: Date
}

/** The same as JSON. */
export function toRequestJson({ at, ...request }: RecordedRequest) {
  return { ...request, at: at.toISOString() }
}

const MAX_LENGTH = 2_000
const MAX_BODY_LENGTH = 16 * 1024

/** Records the last requests. */
export class RecordedRequests {
  readonly #limit: number
  readonly #onRecord: (request: RecordedRequest) => void
  #records: RecordedRequest[] = []

  constructor(limit: number, onRecord: (request: RecordedRequest) => void = () => {}) {
    this.#limit = limit
    this.#onRecord = onRecord
  }

  list(): RecordedRequest[] {
    // Dates cannot be frozen.
    return this.#last().map((record) => Object.freeze({ ...record, at: new Date(record.at) }))
  }

  clear(): void {
    this.#records = []
  }

  readonly record: MiddlewareHandler = async (c, next) => {
    const at = new Date()
    // Read here, so that the body is recorded even if the request is rejected for its headers.
    const body = await readBody(c.req).catch(() => Buffer.alloc(0))
    await next()
    const requestId = c.req.header('x-request-id')
    const { search } = new URL(c.req.url)
    this.#add({
      method: c.req.method,
      path: c.req.path.slice(0, MAX_LENGTH),
      query: maskSecrets(search.slice(0, MAX_LENGTH)),
      headers: Object.freeze(maskHeaders(c.req.raw.headers)),
      body: maskSecrets(Buffer.from(body).subarray(0, MAX_BODY_LENGTH).toString()),
      ...(requestId === undefined ? {} : { requestId: requestId.slice(0, MAX_LENGTH) }),
      status: c.res.status,
      ...(c.res.status < 400 ? {} : { responseBody: (await c.res.clone().text()).slice(0, MAX_LENGTH) }),
      at,
    })
  }

  #add(record: RecordedRequest): void {
    this.#records.push(Object.freeze(record))
    // Halved, so that not every request moves all others.
    if (this.#records.length >= 2 * this.#limit) this.#records = this.#last()
    this.#onRecord(record)
  }

  #last(): RecordedRequest[] {
    return this.#records.slice(-this.#limit)
  }
}
