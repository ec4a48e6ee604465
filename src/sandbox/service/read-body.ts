import { Buffer } from 'node:buffer'
import type { HonoRequest } from 'hono'
import { HttpError } from '../http-error.ts'

const MAX_BODY_BYTES = 1024 * 1024
const MAX_READ_BYTES = 64 * MAX_BODY_BYTES

const bodies = new WeakMap<Request, Promise<Uint8Array>>()

/**
 * Reads a body up to 1 MiB. A second call returns the same bytes. Hono's own limit is not used: it creates a
 * Request, which only works if the server has replaced the global one.
 */
export async function readBody(request: HonoRequest): Promise<Uint8Array> {
  let body = bodies.get(request.raw)
  if (body === undefined) {
    body = read(request)
    bodies.set(request.raw, body)
  }
  return await body
}

async function read(request: HonoRequest): Promise<Uint8Array> {
  if (Number(request.header('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of request.raw.body ?? []) {
      length += chunk.length
      // Read on, so that the connection can be used again.
      if (length > MAX_READ_BYTES) throw tooLarge()
      if (length <= MAX_BODY_BYTES) chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw new HttpError(400, 'The body is incomplete', 'body_rejected')
  }
  if (length > MAX_BODY_BYTES) throw tooLarge()
  return Buffer.concat(chunks)
}

function tooLarge(): HttpError {
  return new HttpError(413, 'The body is larger than 1 MiB', 'body_rejected')
}
