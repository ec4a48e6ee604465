import { once } from 'node:events'
import { createServer, type Server as NodeServer, type RequestListener } from 'node:http'
import {
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Server } from './http-adapter-suite.ts'

/** Listens on a free local port. */
export async function listen(listener: RequestListener): Promise<Server> {
  return await listening(createServer(listener))
}

/** Listens until the test ends, and returns the port. */
export async function mount(listener: RequestListener): Promise<number> {
  const { port, close } = await listen(listener)
  onTestFinished(async () => void (await close()))
  return port
}

/** Makes a server listen on a free local port. */
export async function listening(
  server: NodeServer | Http2Server,
  disconnect = () => (server as NodeServer).closeAllConnections(),
): Promise<Server> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      const closed = once(server, 'close')
      server.close()
      disconnect()
      return closed
    },
  }
}

/** Listens for HTTP/2 without encryption on a free local port. */
export async function listenHttp2(
  listener: (request: Http2ServerRequest, response: Http2ServerResponse) => unknown,
): Promise<Server> {
  const server = createHttp2Server((request, response) => void listener(request, response))
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => sessions.add(session))
  return await listening(server, () => {
    for (const session of sessions) session.destroy()
  })
}
