import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServerProcess, startServer } from '../../../bench/server-process.ts'

const BODY_BYTES = 256 * 1024
const CONNECTIONS = 4
/** Enough for any of the servers, and far below what an object for each chunk would take. */
const HEAP = '--max-old-space-size=64'

describe.each([
  'payhook on node:http',
  'payhook on Express',
  'payhook on Koa',
  'payhook on Fastify',
  'payhook on Hono',
])('%s', (name) => {
  let server: ServerProcess

  beforeAll(async () => {
    server = await startServer(name, [HEAP])
  })
  afterAll(() => server.stop())

  it('refuses bodies in chunks of one byte and keeps its memory', async () => {
    const { port } = server
    const statuses = await Promise.all(Array.from({ length: CONNECTIONS }, () => sendInChunks(port, 1)))
    expect(statuses).toEqual(Array(CONNECTIONS).fill('HTTP/1.1 400 Bad Request'))
  })

  it('reads a body in chunks of 100 bytes to its end', async () => {
    // The signature is judged once the whole body is there.
    expect(await sendInChunks(server.port, 100)).toBe('HTTP/1.1 401 Unauthorized')
  })
})

/** Sends a body without a signature; resolves with the status line of the answer. */
function sendInChunks(port: number, bytes: number): Promise<string> {
  const chunk = `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`
  const head = 'POST /webhooks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('data', (answer) => {
      resolve(String(answer).split('\r\n', 1)[0] ?? '')
      socket.destroy()
    })
    socket.on('error', reject)
    socket.write(`${head}${chunk.repeat(BODY_BYTES / bytes)}0\r\n\r\n`)
  })
}
