import type { Hono } from 'hono'
import type { SandboxCore } from '../sandbox-core.ts'
import { SORTS, toData } from '../state/resources.ts'
import { expiredToken, INVALID_TOKEN, serviceError } from './service-error.ts'

/** Payments and invoices below the path of the `payments` option, for their payer and their payee. */
export function addResourceRoute(
  app: Hono,
  path: string,
  { tokens, resources }: Pick<SandboxCore, 'tokens' | 'resources'>,
): void {
  for (const sort of SORTS)
    app.get(`${path}/${sort}/:id`, (c) => {
      const verdict = tokens.judge(c.req.header('authorization'))
      if (verdict === 'expired') return expiredToken(c)
      if (verdict === 'invalid') return serviceError(c, 401, INVALID_TOKEN)
      const { json = '{}' } = resources.find(sort, c.req.param('id')) ?? {}
      const { payerAccountId, payeeAccountId } = toData(json)
      if (![payerAccountId, payeeAccountId].map(String).includes(verdict.owner.accountId))
        return serviceError(c, 404, `There is no ${sort.slice(0, -1)} with this id`)
      return c.body(json, 200, { 'content-type': 'application/json' })
    })
}
