import type { Context, Hono } from 'hono'
import { invalid, notFound } from '../http-error.ts'
import type { Configuration } from '../state/configurations.ts'
import type { CheckedSandboxOptions } from '../state/sandbox-options.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import { parseConfiguration, readConfigurationFields } from './configuration-body.ts'
import { readBody } from './read-body.ts'
import { addResourceReads } from './resource-reads.ts'

const JSON_TYPE = /^application\/json *(?:;|$)/i

/** What needs a token: hello, the webhook operations, and the resources of the `resourcePath` option. */
export function addApiRoutes(app: Hono, state: SandboxState): void {
  const { options } = state
  app.get(toPath('hello', options), (c) => {
    const { accountId, userId } = state.tokens.check(c.req.header('authorization'))
    return c.json({ account_id: Number(accountId), user_id: Number(userId) })
  })
  addWebhookRoutes(app, state)
  if (options.resourcePath !== undefined) addResourceReads(app, options.resourcePath, state)
}

export function toPath(
  name: 'hello' | 'webhooks',
  { servicePath, mode }: Pick<CheckedSandboxOptions, 'servicePath' | 'mode'>,
): string {
  const version = name === 'hello' ? 'v1.0' : 'v1.2'
  return `/${servicePath}/${mode === 'lenient' ? ':version' : version}/${name}`
}

function addWebhookRoutes(app: Hono, state: SandboxState): void {
  const { options, configurations } = state
  const isStrict = options.mode === 'strict'
  const collection = toPath('webhooks', options)
  const item = `${collection}/:id`
  const find = (c: Context, accountId: string, mayBeInactive = false) => {
    const found = configurations.find(accountId, c.req.param('id') ?? '')
    if (found?.status === 'Active' || (found && mayBeInactive)) return found
    throw notFound('Webhook configuration not found')
  }

  app.get(collection, (c) => {
    const accountId = admit(c, state)
    return c.json(configurations.active(accountId).map(toWire))
  })
  app.post(collection, async (c) => {
    const accountId = admit(c, state)
    const fields = readConfigurationFields(await readBody(c.req), isStrict)
    return c.json(toWire(configurations.create(accountId, parseConfiguration('callbackURL', fields))))
  })
  // The specification does not state it.
  if (!isStrict) app.get(item, (c) => c.json(toWire(find(c, admit(c, state), true))))
  app.patch(item, async (c) => {
    const accountId = admit(c, state)
    find(c, accountId)
    const fields = readConfigurationFields(await readBody(c.req), isStrict)
    // It may have been changed or deleted while the body was read.
    const current = find(c, accountId)
    if (!isStrict && fields.event === undefined && fields.callbackURL === undefined)
      throw invalid('The body must have "event" or "callbackURL"')
    const { event, callbackUrl: callbackURL } = current
    const changed = isStrict ? fields : { event, callbackURL, ...fields }
    return c.json(toWire(configurations.update(current, parseConfiguration('callbackURL', changed))))
  })
  app.delete(item, (c) => c.json(toWire(configurations.deactivate(find(c, admit(c, state))))))
}

/** In the order of the service. A checked request id is used up, even if the request then fails. */
function admit(c: Context, state: SandboxState): string {
  const { accountId } = state.tokens.check(c.req.header('authorization'), 404)
  state.requestIds.take(c.req.header('x-request-id'))
  const mayLackType = state.options.mode === 'lenient' && !['POST', 'PATCH'].includes(c.req.method)
  if (!mayLackType && !JSON_TYPE.test(c.req.header('content-type') ?? ''))
    throw invalid('Content-Type must be application/json')
  return accountId
}

function toWire({ id, event, callbackUrl, status }: Configuration) {
  return { id: Number(id), event, callbackUrl, status }
}
