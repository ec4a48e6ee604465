import type { IncomingMessage, ServerResponse } from 'node:http'

/** The response of every server to a valid notification. */
export const received = { received: true }

const text = JSON.stringify(received)
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(text.length) }

/** Writes the response in the fastest way. */
export function accept(response: ServerResponse): void {
  response.writeHead(200, headers).end(text)
}

/** Writes the response to a wrong signature. */
export function reject(response: ServerResponse): void {
  response.writeHead(401, { 'content-length': '0' }).end()
}

/** Reads the body by hand, as many receivers do. */
export function collect(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => done(Buffer.concat(chunks)))
}
