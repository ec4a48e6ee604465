import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { toUrlHost } from './verify-host.ts'

/**
 * Starts a server. The application is created with the resolved address.
 *
 * @throws the system's error if the address is in use or not local
 */
export async function listenHttp(
  createApp: (address: string, url: string) => Hono,
  hostname: string,
  port: number,
): Promise<{ url: string; close: () => Promise<void> }> {
  let app: Hono
  const server = createAdaptorServer({
    fetch: (request, env) => app.fetch(request, env),
    // Don't replace the global Request and Response of the surrounding program.
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
  // A wildcard address cannot be called.
  if (hostname === '0.0.0.0') return '127.0.0.1'
  if (hostname === '::') return '[::1]'
  return toUrlHost(hostname)
}
