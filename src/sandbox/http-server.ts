import { once } from 'node:events'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { toUrlHost } from './verify-host.ts'

/** A server that listens. */
export interface HttpServer {
  readonly url: string
  close(): Promise<void>
}

/**
 * Has an application listen.
 *
 * @throws the system's error when the address is taken or not of this machine
 */
export async function listenHttp(app: Hono, hostname: string, port: number): Promise<HttpServer> {
  // The global Request and Response belong to the program that the sandbox runs in.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server
  server.listen(port, hostname)
  await once(server, 'listening')
  const address = server.address()
  const actualPort = typeof address === 'object' ? address?.port : port
  return {
    url: `http://${toReachableHost(hostname)}:${actualPort}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function toReachableHost(hostname: string): string {
  // All addresses of this machine are no address that one can call.
  if (hostname === '0.0.0.0') return '127.0.0.1'
  if (hostname === '::') return '[::1]'
  return toUrlHost(hostname)
}
