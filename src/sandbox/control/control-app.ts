import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SandboxCore } from '../delivery/dispatcher.ts'
import { HttpError, notFound } from '../http-error.ts'
import type { Sandbox } from '../sandbox.ts'
import type { HostRules } from '../service/host-rules.ts'
import type { EventLog } from '../state/event-log.ts'
import { checkOperations } from './check-operations.ts'
import { configurationOperations } from './configuration-operations.ts'
import type { StreamEvents } from './control-json.ts'
import { deliveryOperations } from './delivery-operations.ts'
import { addOperations } from './operations.ts'
import { resourceOperations } from './resource-operations.ts'
import { sandboxOperations } from './sandbox-operations.ts'
import { addStreamRoute } from './stream-route.ts'

const READS = ['GET', 'HEAD', 'OPTIONS']

/** The control API: the methods of `Sandbox` for programs in any language. */
export function createControlApp(
  hosts: HostRules,
  core: SandboxCore,
  events: EventLog<StreamEvents>,
  sandbox: Sandbox,
): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    const host = c.req.header('host') ?? ''
    hosts.checkControl(host)
    // A callback URL below /_sandbox/ would cause notifications forever.
    if (c.req.header('access-signature') !== undefined)
      throw new HttpError(403, 'A notification must not control the sandbox', 'notification_not_allowed')
    const origin = c.req.header('origin')?.replace(/^https?:\/\//, '') ?? host
    if (!READS.includes(c.req.method) && origin !== host)
      throw new HttpError(403, 'Pages of another origin must not change the sandbox', 'origin_not_allowed')
    await next()
    c.header('cache-control', 'no-store')
    c.header('x-content-type-options', 'nosniff')
  })
  addOperations(app, {
    ...sandboxOperations(core, sandbox),
    ...deliveryOperations(core, events, sandbox),
    ...resourceOperations('payments', core, sandbox.createPayment),
    ...resourceOperations('invoices', core, sandbox.createInvoice),
    ...configurationOperations(core),
    ...checkOperations(core),
  })
  addStreamRoute(app, events)
  app.notFound((c) => sendControlError(notFound(`There is no ${c.req.method} ${c.req.path}`), c))
  app.onError(sendControlError)
  return app
}

export function sendControlError(error: Error, c: Context): Response {
  const { message } = error
  if (error instanceof HttpError)
    return c.json({ code: error.code, message }, error.status as ContentfulStatusCode)
  // The sandbox's own functions throw it for invalid arguments.
  const [code, status] = error instanceof TypeError ? ['invalid_request', 400] : ['internal_error', 500]
  return c.json({ code, message }, status as ContentfulStatusCode)
}
