import type { Context } from 'hono'
import type { SandboxCore } from '../delivery/sandbox-core.ts'
import { HttpError } from '../http-error.ts'
import type { AccountHolder } from '../state/accounts.ts'

/** @throws HttpError 401 if the token has expired, `statusIfInvalid` if there is none or it is invalid */
export function checkToken(c: Context, { tokens }: SandboxCore, statusIfInvalid = 401): AccountHolder {
  const verdict = tokens.judge(c.req.header('authorization'))
  const challenge = { 'www-authenticate': 'Bearer realm="sandbox"' }
  // RFC 6750 requires `error="invalid_token"` here, too, but the service distinguishes the two.
  if (verdict === 'expired') throw new HttpError(401, 'Access token expired', '', challenge)
  if (verdict !== 'invalid') return verdict.owner
  challenge['www-authenticate'] += ', error="invalid_token"'
  throw new HttpError(statusIfInvalid, 'Invalid token', '', statusIfInvalid === 401 ? challenge : {})
}
