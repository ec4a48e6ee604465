import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { toUrlHost } from './verify-host.ts'

/** A server that listens. */
export interface HttpServer {
  readonly url: string
  close(): Promise<void>
}

/**
 * Listens with an application that is made for the address that the hostname stands for.
 *
 * @throws the system's error when the address is taken or not of this machine
 */
export async function listenHttp(
  createApp: (address: string, url: string) => Hono,
  hostname: string,
  port: number,
): Promise<HttpServer> {
  let app: Hono
  const server = createAdaptorServer({
    fetch: (request, env) => app.fetch(request, env),
    // The global Request and Response belong to the program that the sandbox runs in.
    overrideGlobalObjects: false,
  }) as Server
  server.listen(port, hostname)
  await once(server, 'listening')
  const bound = server.address() as AddressInfo
  const url = `http://${toReachableHost(hostname)}:${bound.port}`
  app = createApp(bound.address, url)
  return {
    url,
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
