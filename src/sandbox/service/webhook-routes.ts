import type { Context, Hono } from 'hono'
import type { SandboxCore } from '../sandbox-core.ts'
import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import type { Configuration } from '../state/configurations.ts'
import type { IssuedTokens } from '../state/issued-tokens.ts'
import type { RequestIds } from '../state/request-ids.ts'
import { parseConfiguration, parseConfigurationUpdate } from './configuration-body.ts'
import { readBody } from './read-body.ts'
import { expiredToken, INVALID_TOKEN, serviceError } from './service-error.ts'

export const WEBHOOKS_VERSION = 'v1.2'

const JSON_TYPE = /^application\/json *(?:;|$)/i

type Operation = (c: Context, accountId: string) => Response | Promise<Response>

/** The webhook operations. */
export function addWebhookRoutes(
  app: Hono,
  options: CheckedSandboxOptions,
  { tokens, configurations, requestIds }: Pick<SandboxCore, 'tokens' | 'configurations' | 'requestIds'>,
): void {
  const [strict, lenient] = [options.mode === 'strict', options.mode === 'lenient']
  const collection = `/${options.servicePath}/${lenient ? ':version' : WEBHOOKS_VERSION}/webhooks`
  const item = `${collection}/:id`
  const admitted = (operation: Operation) => (c: Context) => admit(c, tokens, requestIds, lenient, operation)
  const owned = (operation: (c: Context, configuration: Configuration) => Response | Promise<Response>) =>
    admitted((c, accountId) => {
      const found = configurations.find(accountId, c.req.param('id') ?? '')
      return found ? operation(c, found) : noConfiguration(c)
    })
  const live = (operation: (c: Context, configuration: Configuration) => Response | Promise<Response>) =>
    owned((c, found) => (found.status === 'Active' ? operation(c, found) : noConfiguration(c)))

  app.get(
    collection,
    admitted((c, accountId) => c.json(configurations.active({ accountId }).map(toWire))),
  )
  app.post(
    collection,
    admitted(async (c, accountId) => {
      const body = parseConfiguration(await readBody(c.req), strict)
      if (typeof body === 'string') return serviceError(c, 400, body)
      if (configurations.isFull) return serviceError(c, 400, 'There are too many configurations')
      return c.json(toWire(configurations.create(accountId, body.event, body.callbackURL)))
    }),
  )
  // The specification does not state it.
  if (!strict)
    app.get(
      item,
      owned((c, found) => c.json(toWire(found))),
    )
  const parse = (bytes: Uint8Array) =>
    strict ? parseConfiguration(bytes, true) : parseConfigurationUpdate(bytes)
  app.patch(
    item,
    live(async (c, found) => {
      const body = parse(await readBody(c.req))
      if (typeof body === 'string') return serviceError(c, 400, body)
      // It may have been changed or deleted while the body was read.
      const current = configurations.find(found.accountId, found.id)
      if (current?.status !== 'Active') return noConfiguration(c)
      const { event = current.event, callbackURL: callbackUrl = current.callbackUrl } = body
      return c.json(toWire(configurations.update(current, { event, callbackUrl })))
    }),
  )
  app.delete(
    item,
    live((c, found) => c.json(toWire(configurations.deactivate(found)))),
  )
}

/**
 * Checks the three headers in the service's order. A checked request id is used up, even if the request then
 * fails.
 */
function admit(
  c: Context,
  tokens: IssuedTokens,
  requestIds: RequestIds,
  lenient: boolean,
  operation: Operation,
): Response | Promise<Response> {
  const verdict = tokens.judge(c.req.header('authorization'))
  if (verdict === 'expired') return expiredToken(c)
  if (verdict === 'invalid') return serviceError(c, 404, INVALID_TOKEN)
  const requestId = requestIds.take(c.req.header('x-request-id'))
  if (requestId === 'missing') return serviceError(c, 400, 'X-Request-Id is missing')
  if (requestId === 'malformed') return serviceError(c, 400, 'X-Request-Id must be a UUID')
  if (requestId === 'reused') return serviceError(c, 409, 'X-Request-Id was used before')
  const hasBody = c.req.method === 'POST' || c.req.method === 'PATCH'
  if (!(lenient && !hasBody) && !JSON_TYPE.test(c.req.header('content-type') ?? ''))
    return serviceError(c, 400, 'Content-Type must be application/json')
  return operation(c, verdict.owner.accountId)
}

function noConfiguration(c: Context): Response {
  return serviceError(c, 404, 'Webhook configuration not found')
}

function toWire({ id, event, callbackUrl, status }: Configuration) {
  return { id: Number(id), event, callbackUrl, status }
}
