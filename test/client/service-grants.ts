import { randomBytes } from 'node:crypto'
import { type RecordedRequest, type ServiceResponse, toResponse } from './exchange.ts'

export interface GrantBehavior {
  clientId: string
  clientSecret: string
  /** The application's own account and user. */
  accountId: bigint
  userId: bigint
  /** Whether a refresh gives a new refresh token and spends the old one. */
  rotatesRefreshTokens: boolean
  /** Fields of the token response that are another than the protocol says; `undefined` leaves one out. */
  token: Record<string, unknown>
}

type State = 'valid' | 'expired' | 'invalid'

interface Issued {
  state: State
  readonly account: bigint
}

/** The token endpoint of the protocol. */
export function createGrants(behavior: GrantBehavior, complain: (what: string) => void) {
  const access = new Map<string, Issued>()
  const refreshes = new Map<string, { account: bigint; spent: boolean }>()
  const codes = new Map<string, { redirectUri: string; account: bigint }>()
  const secrets = new Set<string>()
  const spentRefreshTokens: string[] = []

  const secret = (kind: string) => {
    const text = `${kind}-${randomBytes(12).toString('base64')}`
    secrets.add(text)
    return text
  }

  function issue(account: bigint, kept?: string): ServiceResponse {
    const accessToken = secret('access')
    access.set(accessToken, { state: 'valid', account })
    const refreshToken = kept ?? secret('refresh+/=&%41')
    refreshes.set(refreshToken, { account, spent: false })
    return toResponse(200, {
      access_token: accessToken,
      token_type: 'bearer',
      refresh_token: refreshToken,
      expires_in: 3600,
      scope: 'all',
      account_id: account,
      user_id: behavior.userId,
      ...behavior.token,
    })
  }

  const reject = (error: string, description: string) =>
    toResponse(400, { error, error_description: description })

  function grant(request: RecordedRequest): ServiceResponse {
    const body = new URLSearchParams(request.body)
    const type = body.get('grant_type')
    const names = [[...body.keys()], [...request.query.keys()]].map((keys) => keys.sort().join()).join('?')
    if (NAMES[type ?? ''] !== names) {
      complain(`token request with ${names}`)
      return reject('invalid_request', 'not the fields of section 4.1')
    }
    if (type !== 'refresh_token' && body.get('scope') !== 'all') {
      complain(`scope ${body.get('scope')}`)
      return reject('invalid_scope', 'the scope is all')
    }
    if (type === 'client_credentials') return issue(behavior.accountId)
    if (type === 'authorization_code') {
      const code = codes.get(body.get('code') ?? '')
      codes.delete(body.get('code') ?? '')
      if (code?.redirectUri !== body.get('redirect_uri')) return reject('invalid_grant', 'no such code')
      return issue(code?.account ?? 0n)
    }
    const token = request.query.get('refresh_token') ?? ''
    const known = refreshes.get(token)
    if (known?.spent) spentRefreshTokens.push(token)
    if (known === undefined || known.spent) return reject('invalid_grant', 'no such refresh token')
    known.spent = behavior.rotatesRefreshTokens
    return issue(known.account, behavior.rotatesRefreshTokens ? undefined : token)
  }

  return {
    respond(request: RecordedRequest): ServiceResponse {
      const basic = Buffer.from(`${behavior.clientId}:${behavior.clientSecret}`).toString('base64')
      secrets.add(behavior.clientSecret).add(basic)
      const { authorization, accept, 'content-type': type } = request.headers
      if (request.method !== 'POST') complain('the token endpoint takes POST')
      if (accept !== 'application/json') complain(`Accept: ${accept} at the token endpoint`)
      if (!/^application\/x-www-form-urlencoded(?:;charset=utf-8)?$/i.test(type ?? '')) {
        complain(`Content-Type: ${type} at the token endpoint`)
      }
      if (authorization !== `Basic ${basic}`) return toResponse(401, { error: 'invalid_client' })
      return grant(request)
    },
    /** What an Authorization header is worth: the account of the token, or what is wrong with it. */
    stateOf(authorization: string | undefined): bigint | 'expired' | 'invalid' {
      const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1]
      if (token === undefined) complain(`Authorization: ${authorization}`)
      const issued = access.get(token ?? '')
      if (issued === undefined) return 'invalid'
      return issued.state === 'valid' ? issued.account : issued.state
    },
    /** Makes an authorization code that the user of this account has consented to. */
    consent(redirectUri: string, account = 900_100n) {
      const code = secret('code+/=&%41')
      codes.set(code, { redirectUri, account })
      return code
    },
    /** From now on the access tokens that were given out get this response. */
    setAccessTokens(state: State) {
      for (const issued of access.values()) issued.state = state
    },
    /** No refresh token that was given out is taken any more. */
    revokeRefreshTokens: () => refreshes.clear(),
    /** Everything that must not be seen: the secret, the Basic value, codes and every token. */
    secrets,
    get accessTokens() {
      return [...access.keys()]
    },
    get refreshTokens() {
      return [...refreshes.keys()]
    },
    /** Those that had been spent, and were tried again. */
    spentRefreshTokens,
  }
}

/** The names of the fields of body and query of each grant, sorted. */
const NAMES: Record<string, string> = {
  client_credentials: 'grant_type,scope?',
  authorization_code: 'code,grant_type,redirect_uri,scope?',
  refresh_token: 'grant_type?refresh_token',
}
