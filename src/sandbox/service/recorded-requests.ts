import { Buffer } from 'node:buffer'
import type { MiddlewareHandler } from 'hono'
import { maskHeaders, maskSecrets } from './mask-secrets.ts'
import { readBody } from './read-body.ts'

/** A request that a client made. Secrets and tokens in it are masked. */
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
  /** The answer to a request that failed. */
  readonly responseBody?: string
  readonly at: Date
}

const MAX_LENGTH = 2_000
const MAX_BODY_LENGTH = 16 * 1024

/** Remembers the last requests. */
export class RecordedRequests {
  readonly #limit: number
  readonly #onRecord: (request: RecordedRequest) => void
  #records: RecordedRequest[] = []

  constructor(limit: number, onRecord: (request: RecordedRequest) => void = () => {}) {
    this.#limit = limit
    this.#onRecord = onRecord
  }

  list(): RecordedRequest[] {
    // A date cannot be frozen.
    return this.#last().map((record) => Object.freeze({ ...record, at: new Date(record.at) }))
  }

  clear(): void {
    this.#records = []
  }

  readonly record: MiddlewareHandler = async (c, next) => {
    const at = new Date()
    // Read here, so that the body of a request that is refused for its headers is recorded as well.
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
    // Cut back by the half, so that not every request moves all the others.
    if (this.#records.length >= 2 * this.#limit) this.#records = this.#last()
    this.#onRecord(record)
  }

  #last(): RecordedRequest[] {
    return this.#records.slice(-this.#limit)
  }
}
