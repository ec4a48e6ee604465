import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServerProcess, startServer } from '../../../bench/http/server-process.ts'

const BODY_BYTES = 256 * 1024
const CONNECTIONS = 4
/** Enough for each of the servers, and far below the cost of an object per chunk. */
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

  it('rejects bodies in chunks of one byte without growing in memory', async () => {
    const { port } = server
    const statuses = await Promise.all(Array.from({ length: CONNECTIONS }, () => sendInChunks(port, 1)))
    expect(statuses).toEqual(Array(CONNECTIONS).fill('HTTP/1.1 400 Bad Request'))
  })

  it('reads a body in chunks of 100 bytes', async () => {
    // The signature is checked after the whole body was read.
    expect(await sendInChunks(server.port, 100)).toBe('HTTP/1.1 401 Unauthorized')
  })
})

/** Sends a body without a signature, and resolves with the status line of the response. */
function sendInChunks(port: number, bytes: number): Promise<string> {
  const chunk = `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`
  const head = 'POST /webhooks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('data', (response) => {
      resolve(String(response).split('\r\n', 1)[0] ?? '')
      socket.destroy()
    })
    socket.on('error', reject)
    socket.write(`${head}${chunk.repeat(BODY_BYTES / bytes)}0\r\n\r\n`)
  })
}
