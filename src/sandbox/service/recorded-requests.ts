import type { MiddlewareHandler } from 'hono'

/** A request that a client made, without its query, body and credentials. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly requestId?: string
  readonly status: number
  readonly at: Date
}

const MAX_LENGTH = 2_000

/** Remembers the last requests. */
export class RecordedRequests {
  readonly #limit: number
  #records: RecordedRequest[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  list(): RecordedRequest[] {
    // A date cannot be frozen.
    return this.#last().map((record) => Object.freeze({ ...record, at: new Date(record.at) }))
  }

  readonly record: MiddlewareHandler = async (c, next) => {
    const at = new Date()
    await next()
    const requestId = c.req.header('x-request-id')
    this.#records.push(
      Object.freeze({
        method: c.req.method,
        path: c.req.path.slice(0, MAX_LENGTH),
        ...(requestId === undefined ? {} : { requestId: requestId.slice(0, MAX_LENGTH) }),
        status: c.res.status,
        at,
      }),
    )
    // Cut back by the half, so that not every request moves all the others.
    if (this.#records.length >= 2 * this.#limit) this.#records = this.#last()
  }

  #last(): RecordedRequest[] {
    return this.#records.slice(-this.#limit)
  }
}
