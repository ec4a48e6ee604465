import { Buffer } from 'node:buffer'
import type { ClientRequest, IncomingMessage } from 'node:http'

export interface RawResponse {
  /** The status and headers, if they arrived. */
  readonly head: IncomingMessage | undefined
  /** The body, up to the limit. */
  readonly body: Buffer
  /** The body is longer than the limit. */
  readonly isCut?: true
  /** Why there is no complete response. It has no message if the connection was closed. */
  readonly error?: NodeJS.ErrnoException
}

/** Reads a response, up to a limit of its body, after which the connection is closed. Never rejects. */
export async function readResponse(request: ClientRequest, maxBytes: number): Promise<RawResponse> {
  const { promise, resolve } = Promise.withResolvers<RawResponse>()
  const chunks: Buffer[] = []
  let length = 0
  let head: IncomingMessage | undefined
  const end = (rest: Pick<RawResponse, 'isCut' | 'error'> = {}) =>
    resolve({ head, body: Buffer.concat(chunks).subarray(0, maxBytes), ...rest })
  // A complete response may still be unread, and followed by an error, because the rest of the request was not
  // wanted.
  const fail = (error: NodeJS.ErrnoException) => head?.complete || end({ error })
  request.on('response', (response) => {
    head = response
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= maxBytes) return
      end({ isCut: true })
      request.destroy()
    })
    response.on('end', () => end())
    response.on('error', fail)
  })
  request.on('error', fail)
  request.on('close', () => fail(new Error('')))
  return await promise
}
