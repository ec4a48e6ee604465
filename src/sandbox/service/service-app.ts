import type { ServerResponse } from 'node:http'
import { Hono, type MiddlewareHandler } from 'hono'
import type { SandboxCore } from '../delivery/dispatcher.ts'
import { HttpError, notFound } from '../http-error.ts'
import type { CheckedSandboxOptions } from '../state/sandbox-options.ts'
import { addApiRoutes, toPath } from './api-routes.ts'
import { addAuthorizeRoute } from './authorize-route.ts'
import type { HostRules } from './host-rules.ts'
import { recordRequests } from './record-requests.ts'
import { sendError } from './send-error.ts'
import { addTokenRoute } from './token-route.ts'

export function createServiceApp(hosts: HostRules, core: SandboxCore): Hono {
  const { options, requests } = core
  const app = new Hono()
  app.use(recordRequests(requests))
  app.use(async (c, next) => {
    hosts.check(c.req.header('host'))
    await next()
  })
  addAuthorizeRoute(app, core)
  // Not the authorize page, which users open.
  app.use(failRequests(core))
  addTokenRoute(app, core)
  addApiRoutes(app, core)
  const allowed = new Map<string, string[]>()
  for (const { path, method } of app.routes)
    if (method !== 'ALL') allowed.set(path, [...(allowed.get(path) ?? []), method])
  for (const [path, methods] of allowed)
    app.all(path, () => {
      throw new HttpError(405, 'Method not allowed', '', { allow: methods.join(', ') })
    })
  app.notFound((c) => sendError(notFound(explainPath(c.req.path, options)), c))
  app.onError(sendError)
  return app
}

function failRequests({ faults, dispatcher }: SandboxCore): MiddlewareHandler {
  return async (c, next) => {
    if (!c.req.path.startsWith(faults.current.api?.path ?? '')) return await next()
    const { status, retryAfterSeconds, delayMs = 0, loseResponse } = faults.nextOfRequest()
    await dispatcher.closing.pause(delayMs)
    const after = retryAfterSeconds ?? (status === 429 ? 1 : undefined)
    const headers = after === undefined ? {} : { 'retry-after': String(after) }
    if (status !== undefined)
      throw new HttpError(status, `This is the requested fault ${status}`, '', headers)
    await next()
    if (loseResponse) (c.env as { outgoing?: ServerResponse }).outgoing?.destroy()
  }
}

/** Names the path that a client has nearly got right, or the option that it needs. */
function explainPath(path: string, { servicePath, mode, resourcePath }: CheckedSandboxOptions): string {
  if (/\/(?:payments|invoices)(?:\/|$)/.test(path))
    return resourcePath === undefined
      ? 'Not found; start the sandbox with resourcePath (--resource-path), such as /svc/v1.2'
      : `Not found; the resourcePath of this sandbox is ${resourcePath}`
  const name = /\/(hello|webhooks)(?:\/|$)/.exec(path)?.[1] as 'hello' | 'webhooks' | undefined
  if (name === undefined) return 'Not found'
  const right = `Not found; the path is ${toPath(name, { servicePath, mode: undefined })}`
  return mode === 'lenient' ? right : `${right}. A sandbox in the mode "lenient" accepts any version`
}
