import { Hono } from 'hono'
import { addConsoleRoute } from './console/console-route.ts'
import { createControlApp } from './control/control-app.ts'
import type { Sandbox } from './sandbox.ts'
import type { SandboxCore } from './sandbox-core.ts'
import { createServiceApp } from './service/service-app.ts'
import { serviceError } from './service/service-error.ts'
import { createHostRules, FOREIGN_HOST } from './service/verify-host.ts'
import type { StateFile } from './state-file.ts'

/** The console at `/`, the control API below `/_sandbox/`, and the service. */
export function createSandboxApp(
  address: string,
  core: SandboxCore,
  sandbox: Sandbox,
  stateFile: StateFile | undefined,
): Hono {
  const { hostname, allowedHosts } = core.options
  const hosts = createHostRules(address, hostname, allowedHosts)
  const control = createControlApp(hosts, core, sandbox)
  const service = createServiceApp(hosts, core)
  const app = new Hono()
  app.get('/', async (c, next) => {
    if (hosts.allowsControl(c.req.header('host') ?? '')) return await next()
    return serviceError(c, 421, FOREIGN_HOST)
  })
  addConsoleRoute(app)
  if (stateFile)
    app.use(async (_c, next) => {
      await next()
      // What was answered survives the loss of the process.
      await stateFile.save()
    })
  app.onError((error, c) => serviceError(c, 500, `Internal error: ${error.message}`))
  app.all('/_sandbox/*', (c) => control.fetch(c.req.raw, c.env))
  app.all('*', (c) => service.fetch(c.req.raw, c.env))
  return app
}
