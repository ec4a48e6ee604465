import type { Hono } from 'hono'
import type { SandboxCore } from '../sandbox-core.ts'
import { RESOURCE_KINDS, toData } from '../state/resources.ts'
import { expiredToken, INVALID_TOKEN, serviceError } from './service-error.ts'

/** Payments and invoices below the path of the `resourcePath` option, for their payer and their payee. */
export function addResourceRoute(
  app: Hono,
  path: string,
  { tokens, resources }: Pick<SandboxCore, 'tokens' | 'resources'>,
): void {
  for (const kind of RESOURCE_KINDS)
    app.get(`${path}/${kind}/:id`, (c) => {
      const verdict = tokens.judge(c.req.header('authorization'))
      if (verdict === 'expired') return expiredToken(c)
      if (verdict === 'invalid') return serviceError(c, 401, INVALID_TOKEN)
      const { json = '{}' } = resources.find(kind, c.req.param('id')) ?? {}
      const { payerAccountId, payeeAccountId } = toData(json)
      if (![payerAccountId, payeeAccountId].map(String).includes(verdict.owner.accountId))
        return serviceError(c, 404, `There is no ${kind.slice(0, -1)} with this id`)
      return c.body(json, 200, { 'content-type': 'application/json' })
    })
}
