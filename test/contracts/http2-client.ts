import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import {
  chunksOf,
  type HttpClient,
  type Received,
  type Sending,
  type Started,
  toReceived,
  withLength,
} from './send-request.ts'

/** Sends requests by HTTP/2, each on its own connection, as a proxy without encryption does. */
export const http2Client: HttpClient = { send, start }

async function send(port: number, { body, headers = {}, ...head }: Sending): Promise<Received> {
  const { session, stream } = open(port, { ...head, headers: withLength(headers, body) })
  const responded = once(stream, 'response')
  for (const chunk of chunksOf(body)) stream.write(chunk)
  stream.end()
  const [responseHeaders] = await responded
  const content = await text(stream)
  session.close()
  return toReceived(responseHeaders[':status'], responseHeaders, content)
}

async function start(port: number, headers: Record<string, string>, part: Uint8Array): Promise<Started> {
  const { session, stream } = open(port, { headers })
  await new Promise((sent) => stream.write(part, sent))
  const status = once(stream, 'response').then(([{ ':status': status }]) => {
    stream.resume()
    return status
  })
  // Not every test waits for a response.
  status.catch(() => {})
  return {
    status,
    closed: new Promise((resolve) => {
      stream.once('close', () => {
        session.close()
        resolve()
      })
    }),
    write: (chunk) => void stream.write(chunk),
    destroy: () => session.destroy(),
  }
}

function open(
  port: number,
  { method = 'POST', path = '/', headers = {} }: Omit<Sending, 'body'>,
): { session: ClientHttp2Session; stream: ClientHttp2Stream } {
  const session = connect(`http://127.0.0.1:${port}`)
  const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: false })
  // A receiver may reset the stream after it rejected a body. The response has arrived by then.
  for (const emitter of [session, stream]) emitter.on('error', () => {})
  return { session, stream }
}
