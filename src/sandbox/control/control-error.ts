/** The control API rejects a request. */
export class ControlError extends Error {
  readonly status: 400 | 403 | 404 | 421
  readonly code: string

  constructor(status: 400 | 403 | 404 | 421, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export function invalid(message: string): ControlError {
  return new ControlError(400, 'invalid_request', message)
}

export function notFound(message: string): ControlError {
  return new ControlError(404, 'not_found', message)
}
