import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { createControlApp, sendControlError } from './control/control-app.ts'
import type { StreamEvents } from './control/control-json.ts'
import type { SandboxCore } from './delivery/sandbox-core.ts'
import type { Sandbox } from './sandbox.ts'
import { createHostRules, toUrlHost } from './service/host-rules.ts'
import { sendError } from './service/send-error.ts'
import { createServiceApp } from './service/service-app.ts'
import type { EventLog } from './state/event-log.ts'
import type { StateFile } from './state/state-file.ts'

/** The page at `/`. */
export type ReadPage = () => Promise<{ html: string; headers: Readonly<Record<string, string>> }>

export interface SandboxParts {
  readonly core: SandboxCore
  readonly sandbox: Omit<Sandbox, 'url'>
  readonly events: EventLog<StreamEvents>
  readonly stateFile: StateFile | undefined
  readonly readPage: ReadPage
}

/**
 * Serves the console at `/`, the control API below `/_sandbox/`, and the service.
 *
 * @throws the system's error if the address is in use or not local
 */
export async function serveSandbox({
  core,
  sandbox,
  events,
  stateFile,
  readPage,
}: SandboxParts): Promise<{ url: string; close: () => Promise<void> }> {
  const { hostname, port, allowedHosts } = core.options
  const app = new Hono()
  const server = createAdaptorServer({
    fetch: app.fetch,
    // Don't replace the global Request and Response of the surrounding program.
    overrideGlobalObjects: false,
  }) as Server
  server.listen(port, hostname)
  await once(server, 'listening')
  const bound = server.address() as AddressInfo
  const url = `http://${toReachableHost(hostname)}:${bound.port}`

  const hosts = createHostRules(bound.address, hostname, allowedHosts)
  const control = createControlApp(hosts, core, events, { url, ...sandbox })
  const service = createServiceApp(hosts, core)
  app.onError((error, c) => (c.req.path.startsWith('/_sandbox/') ? sendControlError : sendError)(error, c))
  app.get('/', async (c) => {
    hosts.checkControl(c.req.header('host'))
    const { html, headers } = await readPage()
    return c.body(html, 200, headers)
  })
  app.use(async (_c, next) => {
    await next()
    // What the client knows survives the loss of the process.
    await stateFile?.save()
  })
  app.all('/_sandbox/*', (c) => control.fetch(c.req.raw, c.env))
  app.all('*', (c) => service.fetch(c.req.raw, c.env))
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
