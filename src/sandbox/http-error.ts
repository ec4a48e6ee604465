/** A rejected request. The service and the control API respond with different bodies. */
export class HttpError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  /** @param code the code in the control API */
  constructor(status: number, message: string, code = 'invalid_request', headers = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export function invalid(message: string): HttpError {
  return new HttpError(400, message)
}

export function notFound(message: string): HttpError {
  return new HttpError(404, message, 'not_found')
}
