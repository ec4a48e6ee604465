import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy to a server that can be interrupted and restored. Its port stays the same. */
export interface TcpProxy {
  readonly port: number
  /** Closes every connection and refuses new ones. */
  cut(): Promise<void>
  mend(): Promise<void>
  /** Silently drops the traffic of all current connections, like a machine that loses power. New ones work. */
  silence(): void
  close(): Promise<void>
}

export async function createTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
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
    cut,
    mend: async () => void (await listen(port)),
    silence() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    close: cut,
  }
}
