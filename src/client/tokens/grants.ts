import { Buffer } from 'node:buffer'
import { NetworkError, TokenError, type TokenErrorCode } from '../../client-errors.ts'
import { isJsonObject } from '../../json/json-value.ts'
import type { ClientSettings } from '../client-options.ts'
import { isSuccess, toBody, toReason, toShownBody } from '../http/answer.ts'
import type { HttpAnswer } from '../http/exchange.ts'
import type { Redaction } from '../http/redaction.ts'
import { isTransient, type Lost, type Send, type SendPolicy } from '../http/send.ts'
import { tokenResponseSchema } from './token.ts'
import type { StoredToken } from './token-store.ts'

/**
 * The three grants of the protocol.
 *
 * All throw `TokenError` when the endpoint refuses or fails, and `NetworkError` when it is out of reach.
 */
export interface Grants {
  clientCredentials(): Promise<StoredToken>
  /**
   * Repeated if the connection ends without an answer, such as an idle one that the service closes: if the
   * answer is lost, so is the code, whether it was spent or not.
   */
  authorizationCode(code: string, redirectUri: string, signal?: AbortSignal): Promise<StoredToken>
  /** @throws TokenError `refresh_token_missing` when the token came without one */
  refresh(token: StoredToken): Promise<StoredToken>
}

interface GrantSettings extends Pick<ClientSettings, 'urls' | 'now'> {
  /** @see toBasicCredentials */
  readonly credentials: string
  readonly send: Send
  readonly redaction: Redaction
}

/** Plain, as the service states it; OAuth would have both percent-encoded first. */
export function toBasicCredentials(clientId: string, clientSecret: string): string {
  return Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64')
}

export function createGrants({ urls, credentials, now, send, redaction }: GrantSettings): Grants {
  const headers = {
    accept: 'application/json',
    authorization: `Basic ${credentials}`,
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'payhook',
  }

  /** What the endpoint says to a form; `previous` is the token in whose place the new one comes. */
  async function request(
    form: Readonly<Record<string, string>>,
    grant: StoredToken['grant'],
    { url = urls.token, policy = { repeatable: true }, previous }: RequestSettings = {},
  ): Promise<StoredToken> {
    // From before the request, so that the time it takes makes the token seem older and never younger.
    const issuedAt = now()
    const body = String(new URLSearchParams(form))
    const { answer, lost } = await send({ method: 'POST', url, headers, body }, policy)
    if (!isSuccess(answer)) throw refused(answer, lost)
    const said = answer.tooLarge ? undefined : toBody(answer.text)
    if (!isJsonObject(said)) throw invalid('it is no JSON object')
    const stated = Object.fromEntries(
      Object.entries(said).filter(([, value]) => value !== null && value !== ''),
    )
    const { success, data, error } = tokenResponseSchema.safeParse(stated)
    if (!success) throw invalid(`"${error.issues[0]?.path.join('.')}" is missing or of the wrong kind`)
    const { access_token, token_type, refresh_token, expires_in, scope, account_id, user_id } = data
    redaction.add(access_token, refresh_token)
    return {
      accessToken: access_token,
      // A service that does not give a new one leaves the old one valid (RFC 6749, section 6).
      refreshToken: refresh_token ?? previous?.refreshToken,
      tokenType: token_type.toLowerCase(),
      scope: scope ?? previous?.scope,
      accountId: account_id ?? previous?.accountId,
      userId: user_id ?? previous?.userId,
      grant,
      issuedAt,
      expiresAt: toExpiry(issuedAt, expires_in),
    }
  }

  function refused(answer: HttpAnswer, lost: Lost | undefined): TokenError {
    const { status } = answer
    const [code, hint] = toRefusal(status)
    const body = toShownBody(answer, redaction)
    const message = `The token endpoint answered ${status}${toReason(body)}. ${hint}`
    return new TokenError(code, message, {
      status,
      body,
      ...(lost instanceof NetworkError && { cause: lost }),
    })
  }

  return {
    clientCredentials: () => request(toForm('client_credentials'), 'client_credentials'),

    authorizationCode: (code, redirectUri, signal) => {
      const form = { ...toForm('authorization_code'), code, redirect_uri: redirectUri }
      const policy = { repeatable: 'unless_answered', signal } as const
      return redaction.during(code, () => request(form, 'authorization_code', { policy }))
    },

    async refresh(token) {
      if (token.refreshToken === undefined) {
        throw new TokenError('refresh_token_missing', 'The token came without a refresh token.')
      }
      // Where the service takes it: in the query, not in the form.
      const url = `${urls.token}?${new URLSearchParams({ refresh_token: token.refreshToken })}`
      return await request({ grant_type: 'refresh_token' }, token.grant, { url, previous: token })
    },
  }
}

interface RequestSettings {
  readonly url?: string
  readonly policy?: SendPolicy
  readonly previous?: StoredToken
}

// The last moment that a Date can be.
const MAX_TIME = 8.64e15

/** `undefined` where the service did not say, or said something that is no time or never comes. */
function toExpiry(issuedAt: number, lifetime: unknown): number | undefined {
  const seconds = typeof lifetime === 'string' ? Number(lifetime) : lifetime
  if (typeof seconds !== 'number' || !(seconds >= 0)) return undefined
  const expiresAt = issuedAt + seconds * 1_000
  return expiresAt <= MAX_TIME ? expiresAt : undefined
}

/** In the order in which the protocol names them. */
function toForm(grant: string): Record<string, string> {
  return { grant_type: grant, scope: 'all' }
}

function toRefusal(status: number): readonly [TokenErrorCode, string] {
  if (status === 401)
    return ['grant_rejected', 'Are the client id and the client secret right, and of this service?']
  if (status === 404)
    return ['grant_rejected', 'Is "baseUrl" the root of the service, without a path such as /svc?']
  if (status >= 400 && status < 500 && !isTransient(status))
    return ['grant_rejected', '`body` holds what the service said.']
  return [
    'token_endpoint_failed',
    'Try again later, and see whether "baseUrl" is the address of the service.',
  ]
}

function invalid(reason: string): TokenError {
  return new TokenError(
    'token_response_invalid',
    `The token endpoint answered something else than a token: ${reason}. Does "baseUrl" name the service?`,
  )
}
