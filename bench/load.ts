import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { statusOf, toWholeLength } from './http-response.ts'

export interface Load {
  readonly port: number
  /** Returns the bytes of the next request. */
  readonly nextRequest: () => Buffer
  /** Open connections. Each sends the next request after the response to the last one. */
  readonly connections: number
  readonly milliseconds: number
}

export interface LoadResult {
  readonly responses: number
  readonly seconds: number
}

/**
 * Puts a server under load.
 *
 * @throws at the first response that is not a 200
 */
export async function load({ port, nextRequest, connections, milliseconds }: Load): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const started = performance.now()
  const deadline = started + milliseconds
  try {
    const counts = await Promise.all(sockets.map((socket) => exchange(socket, nextRequest, deadline)))
    return {
      responses: counts.reduce((sum, count) => sum + count, 0),
      seconds: (performance.now() - started) / 1000,
    }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

const CLOSED = 'The server closed the connection.'

/** Sends one request on its own connection, and returns the status of the response. */
export async function sendOnce(port: number, request: Buffer): Promise<number> {
  const socket = await open(port)
  try {
    socket.write(request)
    const closed = once(socket, 'close').then(() => Promise.reject(new Error(CLOSED)))
    const [chunk] = (await Promise.race([once(socket, 'data'), closed])) as [Buffer]
    return statusOf(chunk)
  } finally {
    socket.destroy()
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Sends requests one after the other until the deadline, and resolves with the number of responses. */
function exchange(socket: Socket, nextRequest: () => Buffer, deadline: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0
    let pending: Buffer | undefined
    socket.on('data', (chunk: Buffer) => {
      const response = pending === undefined ? chunk : Buffer.concat([pending, chunk])
      const whole = toWholeLength(response)
      if (whole === undefined || response.length < whole) {
        pending = response
        return
      }
      pending = undefined
      if (statusOf(response) !== 200 || response.length > whole) {
        reject(new Error(`Unexpected response: ${response.toString()}`))
        return
      }
      count++
      if (performance.now() < deadline) socket.write(nextRequest())
      else resolve(count)
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(CLOSED)))
    socket.write(nextRequest())
  })
}
