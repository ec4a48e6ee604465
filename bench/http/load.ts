import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { statusOf, toWholeLength } from './response.ts'

export interface Load {
  readonly port: number
  /** Returns the bytes of the next request. */
  readonly nextRequest: () => Buffer
  /** Open connections. Each sends the next request after the response to the last one. */
  readonly connections: number
  readonly milliseconds: number
  /**
   * Requests per second of all connections, at random times. A connection that is late sends at once.
   * @default as many as there are responses
   */
  readonly rate?: number | undefined
}

export interface LoadResult {
  readonly responses: number
  /** From when a request was due to its response, in milliseconds. */
  readonly latencies: readonly number[]
  readonly seconds: number
}

/**
 * Puts a server under load.
 *
 * @throws at the first response that is not a 200
 */
export async function load(plan: Load): Promise<LoadResult> {
  const { port, connections, milliseconds } = plan
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const started = performance.now()
  const deadline = started + milliseconds
  try {
    const latencies = (await Promise.all(sockets.map((socket) => exchange(socket, plan, deadline)))).flat()
    return { responses: latencies.length, latencies, seconds: (performance.now() - started) / 1000 }
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

/** Sends requests one after the other until the deadline, and resolves with the time of each. */
function exchange(
  socket: Socket,
  { nextRequest, connections, rate }: Load,
  deadline: number,
): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const latencies: number[] = []
    let dueAt = performance.now()
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
      const now = performance.now()
      latencies.push(now - dueAt)
      dueAt = rate === undefined ? now : dueAt + randomInterval(rate / connections)
      send(dueAt - now)
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(CLOSED)))
    send(rate === undefined ? 0 : randomInterval(rate / connections))

    function send(inMs: number): void {
      if (performance.now() + inMs >= deadline) resolve(latencies)
      else if (inMs <= 0) socket.write(nextRequest())
      else setTimeout(sendNow, inMs)
    }

    /** A timer is late by up to a millisecond, which is not the server's. */
    function sendNow(): void {
      dueAt = performance.now()
      socket.write(nextRequest())
    }
  })
}

/** Between two requests, in milliseconds, as many independent senders cause it. */
function randomInterval(perSecond: number): number {
  return (-Math.log(1 - Math.random()) * 1_000) / perSecond
}
