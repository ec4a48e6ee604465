import type { IncomingMessage, ServerResponse } from 'node:http'

/** What every server answers to a notification that it has read. */
export const received = { received: true }

const text = JSON.stringify(received)
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(text.length) }

/** The short answer, written the fast way. */
export function accept(response: ServerResponse): void {
  response.writeHead(200, headers).end(text)
}

/** The answer to a wrong signature. */
export function refuse(response: ServerResponse): void {
  response.writeHead(401, { 'content-length': '0' }).end()
}

/** Collects the body by hand, as many receivers do. */
export function collect(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => done(Buffer.concat(chunks)))
}
