import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { toUrlHost } from './service/host-rules.ts'
import type { CheckedSandboxOptions } from './state/sandbox-options.ts'

export async function listen(app: Hono, { hostname, port }: CheckedSandboxOptions) {
  const server = createAdaptorServer({
    fetch: app.fetch,
    // Don't replace the global Request and Response of the surrounding program.
    overrideGlobalObjects: false,
  }) as Server
  server.listen(port, hostname)
  await once(server, 'listening')
  const bound = server.address() as AddressInfo
  return {
    url: `http://${toReachableHost(hostname)}:${bound.port}`,
    address: bound.address,
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
