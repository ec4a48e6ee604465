import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** A proxy to a server that can be interrupted and restored. Its port stays the same. */
export interface TcpProxy {
  readonly port: number
  /** How many connections were ever accepted. */
  readonly accepted: number
  /** Closes every connection and refuses new ones. */
  cut(): Promise<void>
  /** Passes nothing on until `mend`, on current and new connections, like a machine that is suspended. */
  hang(): void
  /** Ends `cut` and `hang`. */
  mend(): Promise<void>
  /**
   * Silently drops the traffic of all current connections, like a machine that loses power. New ones work, also
   * after `hang`.
   */
  silence(): void
  close(): Promise<void>
}

export async function createTcpProxy(target: NetConnectOpts): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const resumes = new Map<Socket, () => void>()
  let isHanging = false
  let accepted = 0
  const server = createServer((client) => {
    accepted += 1
    const upstream = connect(target)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      const pass = () => void socket.pipe(other)
      resumes.set(socket, pass)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        resumes.delete(socket)
        other.destroy()
      })
      if (!isHanging) pass()
    }
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const cut = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const port = await listen(0)
  return {
    port,
    get accepted() {
      return accepted
    },
    cut,
    hang() {
      isHanging = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    async mend() {
      isHanging = false
      for (const resume of resumes.values()) resume()
      if (!server.listening) await listen(port)
    },
    silence() {
      isHanging = false
      for (const socket of sockets) socket.unpipe().pause()
    },
    close: cut,
  }
}
