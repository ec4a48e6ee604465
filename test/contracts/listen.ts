import { once } from 'node:events'
import { createServer, type Server as NodeServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Server } from './http-adapter-suite.ts'

/** Listens on a free local port. */
export async function listen(listener: RequestListener): Promise<Server> {
  return await listening(createServer(listener))
}

/** Makes a server listen on a free local port. */
export async function listening(server: NodeServer): Promise<Server> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      return closed
    },
  }
}
