import { Hono } from 'hono'
import { createControlApp } from './control/control-app.ts'
import type { Sandbox } from './sandbox.ts'
import type { SandboxCore } from './sandbox-core.ts'
import { sendError } from './service/send-error.ts'
import { createServiceApp } from './service/service-app.ts'
import { createHostRules } from './service/verify-host.ts'
import type { StateFile } from './state/state-file.ts'

/** The page at `/`. */
export type ReadPage = () => Promise<{ html: string; headers: Readonly<Record<string, string>> }>

/** The console at `/`, the control API below `/_sandbox/`, and the service. */
export function createSandboxApp(
  address: string,
  core: SandboxCore,
  sandbox: Sandbox,
  stateFile: StateFile | undefined,
  readPage: ReadPage,
): Hono {
  const { hostname, allowedHosts } = core.options
  const hosts = createHostRules(address, hostname, allowedHosts)
  const control = createControlApp(hosts, core, sandbox)
  const service = createServiceApp(hosts, core)
  const app = new Hono()
  app.get('/', async (c) => {
    hosts.verifyControl(c.req.header('host'))
    const { html, headers } = await readPage()
    return c.body(html, 200, headers)
  })
  if (stateFile)
    app.use(async (_c, next) => {
      await next()
      // What the client knows survives the loss of the process.
      await stateFile.save()
    })
  app.onError(sendError)
  app.all('/_sandbox/*', (c) => control.fetch(c.req.raw, c.env))
  app.all('*', (c) => service.fetch(c.req.raw, c.env))
  return app
}
