import type { Hono } from 'hono'
import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import type { IssuedTokens } from '../state/issued-tokens.ts'
import { expiredToken, INVALID_TOKEN, serviceError } from './service-error.ts'

export const HELLO_VERSION = 'v1.0'

/** `GET /svc/v1.0/hello`, which checks an access token. */
export function addHelloRoute(
  app: Hono,
  { servicePath, mode }: CheckedSandboxOptions,
  tokens: IssuedTokens,
): void {
  app.get(`/${servicePath}/${mode === 'lenient' ? ':version' : HELLO_VERSION}/hello`, (c) => {
    const verdict = tokens.judge(c.req.header('authorization'))
    if (verdict === 'expired') return expiredToken(c)
    if (verdict === 'invalid')
      return serviceError(c, 401, INVALID_TOKEN, {
        'www-authenticate': 'Bearer realm="sandbox", error="invalid_token"',
      })
    const { accountId, userId } = verdict.owner
    return c.json({ account_id: Number(accountId), user_id: Number(userId) })
  })
}
