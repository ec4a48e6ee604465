import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Sandbox } from '../sandbox.ts'
import type { SandboxCore } from '../sandbox-core.ts'
import { FOREIGN_HOST, type HostRules, toName } from '../service/verify-host.ts'
import { addConfigurationRoutes } from './configuration-routes.ts'
import { ControlError, notFound } from './control-error.ts'
import { addDeliveryRoutes } from './delivery-routes.ts'
import { addResourceRoutes } from './resource-routes.ts'
import { addSandboxRoutes } from './sandbox-routes.ts'
import { addStreamRoute } from './stream-route.ts'

const READS = ['GET', 'HEAD', 'OPTIONS']

/** The control API: the methods of `Sandbox` for programs in any language. */
export function createControlApp(hosts: HostRules, core: SandboxCore, sandbox: Sandbox): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    const host = c.req.header('host') ?? ''
    if (!hosts.allowsControl(host)) throw new ControlError(421, 'host_not_allowed', FOREIGN_HOST)
    // A callback URL below /_sandbox/ would cause notifications forever.
    if (c.req.header('access-signature') !== undefined)
      throw new ControlError(403, 'notification_not_allowed', 'A notification must not control the sandbox')
    const origin = c.req.header('origin')
    if (!READS.includes(c.req.method) && origin !== undefined && !isOwn(origin, host))
      throw new ControlError(403, 'origin_not_allowed', 'Pages of another origin must not change the sandbox')
    await next()
    c.header('cache-control', 'no-store')
    c.header('x-content-type-options', 'nosniff')
  })
  addSandboxRoutes(app, core, sandbox)
  addDeliveryRoutes(app, core, sandbox)
  addResourceRoutes(app, core, sandbox)
  addConfigurationRoutes(app, core)
  addStreamRoute(app, core.events)
  app.notFound((c) => {
    const { message } = notFound(`There is no ${c.req.method} ${c.req.path}`)
    return c.json({ code: 'not_found', message }, 404)
  })
  app.onError((error, c) => {
    if (error instanceof ControlError)
      return c.json({ code: error.code, message: error.message }, error.status)
    if (error instanceof HTTPException)
      return c.json({ code: 'body_rejected', message: error.message }, error.status)
    // The sandbox's own functions throw it for invalid arguments.
    if (error instanceof TypeError) return c.json({ code: 'invalid_request', message: error.message }, 400)
    return c.json({ code: 'internal_error', message: error.message }, 500)
  })
  return app
}

/** Whether the sandbox itself served the page, under the host name of the request. */
function isOwn(origin: string, host: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  return url?.host === new URL(`http://${host}`).host && toName(host) !== ''
}
