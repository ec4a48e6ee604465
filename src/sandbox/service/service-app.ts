import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { addConsoleRoute } from '../console/console-route.ts'
import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import { addAuthorizeRoute } from './authorize-route.ts'
import type { Configurations } from './configurations.ts'
import { addHelloRoute } from './hello-route.ts'
import type { IssuedTokens } from './issued-tokens.ts'
import type { RecordedRequests } from './recorded-requests.ts'
import { serviceError } from './service-error.ts'
import { addTokenRoute } from './token-route.ts'
import { verifyHost } from './verify-host.ts'
import { addWebhookRoutes } from './webhook-routes.ts'

/** The HTTP side of the service, at the address that it listens on. */
export function createServiceApp(
  address: string,
  options: CheckedSandboxOptions,
  tokens: IssuedTokens,
  configurations: Configurations,
  requests: RecordedRequests,
): Hono {
  const app = new Hono()
  const onlyThisMachine = verifyHost(address, options.hostname)
  // Before the requests are recorded, which are those of clients.
  app.use('/', onlyThisMachine)
  addConsoleRoute(app)
  app.use(requests.record)
  app.use(onlyThisMachine)
  addTokenRoute(app, options, tokens)
  addAuthorizeRoute(app, options, tokens)
  addHelloRoute(app, options, tokens)
  addWebhookRoutes(app, options, tokens, configurations)
  const allowed = new Map<string, string[]>()
  for (const { path, method } of app.routes)
    if (method !== 'ALL') allowed.set(path, [...(allowed.get(path) ?? []), method])
  for (const [path, methods] of allowed)
    app.all(path, (c) => serviceError(c, 405, 'Method not allowed', { allow: methods.join(', ') }))
  app.notFound((c) => serviceError(c, 404, 'Not found'))
  app.onError((error, c) => {
    if (error instanceof HTTPException)
      return serviceError(c, error.status as ContentfulStatusCode, error.message)
    return serviceError(c, 500, `Internal error: ${error.message}`)
  })
  return app
}
