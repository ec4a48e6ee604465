import type { Context, Hono } from 'hono'
import { HttpError, invalid, notFound } from '../http-error.ts'
import type { SandboxCore } from '../sandbox-core.ts'
import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import type { AccountHolder } from '../state/accounts.ts'
import type { Configuration } from '../state/configurations.ts'
import { RESOURCE_KINDS, toData } from '../state/resources.ts'
import {
  parseConfiguration,
  parseConfigurationUpdate,
  readConfigurationFields,
} from './configuration-body.ts'
import { readBody } from './read-body.ts'

const JSON_TYPE = /^application\/json *(?:;|$)/i

/**
 * Everything that needs a token: hello, the webhook operations, and the resources of the `resourcePath` option.
 */
export function addApiRoutes(app: Hono, core: SandboxCore): void {
  const { options } = core
  app.get(toPath('hello', options), (c) => {
    const { accountId, userId } = checkToken(c, core)
    return c.json({ account_id: Number(accountId), user_id: Number(userId) })
  })
  addWebhookRoutes(app, core)
  if (options.resourcePath !== undefined) addResourceRoutes(app, options.resourcePath, core)
}

function addResourceRoutes(app: Hono, path: string, core: SandboxCore): void {
  const { resources } = core
  const send = (c: Context, json: string) => c.body(json, 200, { 'content-type': 'application/json' })
  for (const kind of RESOURCE_KINDS) {
    app.get(`${path}/${kind}`, (c) => {
      const { accountId } = checkToken(c, core)
      const query = readListQuery(c)
      const page: string[] = []
      for (const { json } of resources.since(kind, query)) {
        if (page.length === query.limit) break
        if (isSideOf(json, accountId)) page.push(json)
      }
      return send(c, `[${page.join(',')}]`)
    })
    app.get(`${path}/${kind}/:id`, (c) => {
      const { accountId } = checkToken(c, core)
      const { json = '{}' } = resources.find(kind, c.req.param('id')) ?? {}
      if (!isSideOf(json, accountId)) throw notFound(`There is no ${kind.slice(0, -1)} with this id`)
      return send(c, json)
    })
  }
}

function isSideOf(json: string, accountId: string): boolean {
  const { payerAccountId, payeeAccountId } = toData(json)
  return [payerAccountId, payeeAccountId].map(String).includes(accountId)
}

function readListQuery(c: Context): { updatedSince: number; limit: number; after: string } {
  const { updatedSince = '1970-01-01', limit = '100', after = '' } = c.req.query()
  const time = Date.parse(updatedSince)
  if (Number.isNaN(time)) throw invalid('updatedSince must be a time such as 2026-11-01T00:00:00Z')
  if (!/^(?:[1-9]\d{0,2}|1000)$/.test(limit)) throw invalid('limit must be a number from 1 to 1000')
  return { updatedSince: time, limit: Number(limit), after }
}

/** The path of hello or of the webhook operations. */
export function toPath(
  name: 'hello' | 'webhooks',
  { servicePath, mode }: Pick<CheckedSandboxOptions, 'servicePath' | 'mode'>,
): string {
  const version = name === 'hello' ? 'v1.0' : 'v1.2'
  return `/${servicePath}/${mode === 'lenient' ? ':version' : version}/${name}`
}

function addWebhookRoutes(app: Hono, core: SandboxCore): void {
  const { options, configurations } = core
  const isStrict = options.mode === 'strict'
  const collection = toPath('webhooks', options)
  const item = `${collection}/:id`
  const find = (c: Context, accountId: string, mayBeInactive = false) => {
    const found = configurations.find(accountId, c.req.param('id') ?? '')
    if (found?.status === 'Active' || (found && mayBeInactive)) return found
    throw notFound('Webhook configuration not found')
  }

  app.get(collection, (c) => {
    const accountId = admit(c, core)
    return c.json(configurations.active({ accountId }).map(toWire))
  })
  app.post(collection, async (c) => {
    const accountId = admit(c, core)
    const fields = readConfigurationFields(await readBody(c.req), isStrict)
    return c.json(toWire(configurations.create(accountId, parseConfiguration('callbackURL', fields))))
  })
  // The specification does not state it.
  if (!isStrict) app.get(item, (c) => c.json(toWire(find(c, admit(c, core), true))))
  app.patch(item, async (c) => {
    const accountId = admit(c, core)
    find(c, accountId)
    const fields = readConfigurationFields(await readBody(c.req), isStrict)
    // It may have been changed or deleted while the body was read.
    const current = find(c, accountId)
    const changes = isStrict
      ? parseConfiguration('callbackURL', fields)
      : parseConfigurationUpdate('callbackURL', fields, current)
    return c.json(toWire(configurations.update(current, changes)))
  })
  app.delete(item, (c) => c.json(toWire(configurations.deactivate(find(c, admit(c, core))))))
}

/**
 * Checks the three headers of a webhook operation in the service's order, and returns the account. A checked
 * request id is used up, even if the request then fails.
 */
function admit(c: Context, core: SandboxCore): string {
  const { accountId } = checkToken(c, core, 404)
  const requestId = core.requestIds.take(c.req.header('x-request-id'))
  if (requestId === 'missing') throw invalid('X-Request-Id is missing')
  if (requestId === 'malformed') throw invalid('X-Request-Id must be a UUID')
  if (requestId === 'reused') throw new HttpError(409, 'X-Request-Id was used before')
  const mayLackType = core.options.mode === 'lenient' && !['POST', 'PATCH'].includes(c.req.method)
  if (!mayLackType && !JSON_TYPE.test(c.req.header('content-type') ?? ''))
    throw invalid('Content-Type must be application/json')
  return accountId
}

function checkToken(c: Context, { tokens }: SandboxCore, statusIfInvalid = 401): AccountHolder {
  const verdict = tokens.judge(c.req.header('authorization'))
  const challenge = { 'www-authenticate': 'Bearer realm="sandbox"' }
  // RFC 6750 requires `error="invalid_token"` here, too, but the service distinguishes the two.
  if (verdict === 'expired') throw new HttpError(401, 'Access token expired', '', challenge)
  if (verdict !== 'invalid') return verdict.owner
  challenge['www-authenticate'] += ', error="invalid_token"'
  throw new HttpError(statusIfInvalid, 'Invalid token', '', statusIfInvalid === 401 ? challenge : {})
}

function toWire({ id, event, callbackUrl, status }: Configuration) {
  return { id: Number(id), event, callbackUrl, status }
}
