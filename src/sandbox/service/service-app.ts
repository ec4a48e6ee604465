import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SandboxCore } from '../sandbox-core.ts'
import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import { addAuthorizeRoute } from './authorize-route.ts'
import { addHelloRoute, HELLO_VERSION } from './hello-route.ts'
import { recordRequests } from './record-requests.ts'
import { addResourceRoute } from './resource-route.ts'
import { serviceError } from './service-error.ts'
import { addTokenRoute } from './token-route.ts'
import { type HostRules, verifyHost } from './verify-host.ts'
import { addWebhookRoutes, WEBHOOKS_VERSION } from './webhook-routes.ts'

/** The parts of the service. */
export type ServiceParts = Pick<
  SandboxCore,
  'options' | 'tokens' | 'configurations' | 'requestIds' | 'requests' | 'failingApi' | 'resources'
>

/** The HTTP side of the service. */
export function createServiceApp(hosts: HostRules, parts: ServiceParts): Hono {
  const { options, tokens, requests, failingApi } = parts
  const app = new Hono()
  app.use(recordRequests(requests))
  app.use(verifyHost(hosts))
  addAuthorizeRoute(app, options, tokens)
  // Not the authorize page, which users open.
  app.use(failingApi.fail)
  addTokenRoute(app, options, tokens)
  addHelloRoute(app, options, tokens)
  addWebhookRoutes(app, options, parts)
  if (options.resourcePath) addResourceRoute(app, options.resourcePath, parts)
  const allowed = new Map<string, string[]>()
  for (const { path, method } of app.routes)
    if (method !== 'ALL') allowed.set(path, [...(allowed.get(path) ?? []), method])
  for (const [path, methods] of allowed)
    app.all(path, (c) => serviceError(c, 405, 'Method not allowed', { allow: methods.join(', ') }))
  app.notFound((c) => serviceError(c, 404, toNotFound(c.req.path, options)))
  app.onError((error, c) => {
    if (error instanceof HTTPException)
      return serviceError(c, error.status as ContentfulStatusCode, error.message)
    return serviceError(c, 500, `Internal error: ${error.message}`)
  })
  return app
}

/** Names the path that a client has nearly got right. */
function toNotFound(path: string, { servicePath, mode }: CheckedSandboxOptions): string {
  const name = /\/(hello|webhooks)(?:\/|$)/.exec(path)?.[1]
  if (name === undefined) return 'Not found'
  const found = `Not found; the path is /${servicePath}/${name === 'hello' ? HELLO_VERSION : WEBHOOKS_VERSION}/${name}`
  return mode === 'lenient' ? found : `${found}. A sandbox in the mode "lenient" accepts any version`
}
