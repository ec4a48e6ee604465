import * as z from 'zod/mini'
import { NetworkError, TokenError } from '../../client-errors.ts'
import { text } from '../../events/fields.ts'
import { identifierSchema, onExactData } from '../../events/identifier.ts'
import { isJsonObject } from '../../json/json-value.ts'
import type { ClientSettings } from '../client-options.ts'
import { encodeControls, type Redaction } from '../http/redaction.ts'
import { isHtml, isSuccess, toBody, toReason, toShownBody } from '../http/response.ts'
import { isTransient, type Send, type SendPolicy, type Sent } from '../http/send.ts'
import { accessTokenSchema } from './checked-token-store.ts'
import type { StoredToken } from './token-store.ts'

/**
 * The response of the token endpoint, without fields that are `null` or empty. An invalid value of a field that
 * the client can do without counts as absent: the refresh token beside it may be the only valid one.
 */
export const tokenResponseSchema = z.object({
  /** The bearer token for calls. */
  access_token: accessTokenSchema,
  /** `bearer`. */
  token_type: z.catch(z.string(), 'bearer').check(z.regex(/^bearer$/i)),
  /** Gets the next token. */
  refresh_token: z.optional(text),
  /** Lifetime of the access token, in seconds. */
  expires_in: z.catch(z.optional(z.coerce.number().check(z.nonnegative())), undefined),
  /** `all`. */
  scope: z.catch(z.optional(text), undefined),
  /** Account of the token's owner, a decimal string. */
  account_id: z.catch(z.optional(identifierSchema), undefined),
  /** User of the token's owner, a decimal string. */
  user_id: z.catch(z.optional(identifierSchema), undefined),
})

/** The response of the token endpoint to every grant. */
export interface TokenResponse extends z.output<typeof tokenResponseSchema> {}

export type Grants = ReturnType<typeof createGrants>

/** All reject with `TokenError` if the endpoint rejects or fails, `NetworkError` if it is unreachable. */
export function createGrants(settings: ClientSettings, send: Send, redaction: Redaction) {
  const { urls, credentials, now } = settings
  const headers = {
    accept: 'application/json',
    authorization: `Basic ${credentials}`,
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'payhook',
  }

  /** @param previous the token that is refreshed, for the fields that the response leaves out */
  async function request(
    form: Readonly<Record<string, string>>,
    previous: Pick<StoredToken, 'grant'> & Partial<StoredToken>,
    url = urls.token,
    policy: SendPolicy = { repeatable: true },
  ): Promise<StoredToken> {
    // Before the request, so that a slow response does not make the token seem younger than it is.
    const issuedAt = now()
    const body = String(new URLSearchParams(form))
    const sent = await send(() => ({ method: 'POST', url, headers, body }), policy)
    if (!isSuccess(sent.response)) throw rejected(sent, redaction)
    const said = toBody(sent.response.text)
    if (!isJsonObject(said))
      throw invalid(isHtml(sent.response) ? 'it is an HTML page' : 'it is not a JSON object')
    const stated = Object.entries(said).filter(([, value]) => value !== null && value !== '')
    const { success, data, error } = onExactData(() =>
      tokenResponseSchema.safeParse(Object.fromEntries(stated)),
    )
    if (!success) throw invalid(`"${error.issues[0]?.path.join('.')}" is missing or invalid`)
    const { access_token, token_type, refresh_token, expires_in, scope, account_id, user_id } = data
    redaction.add(access_token, refresh_token)
    return {
      accessToken: access_token,
      // Without a new one, the old one stays valid (RFC 6749, section 6).
      refreshToken: refresh_token ?? previous.refreshToken,
      tokenType: token_type.toLowerCase(),
      scope: scope ?? previous.scope,
      accountId: account_id ?? previous.accountId,
      userId: user_id ?? previous.userId,
      grant: previous.grant,
      issuedAt,
      expiresAt: expires_in === undefined ? undefined : issuedAt + expires_in * 1_000,
    }
  }

  return {
    clientCredentials: () =>
      request({ grant_type: 'client_credentials', scope: 'all' }, { grant: 'client_credentials' }),

    authorizationCode(code: string, redirectUri: string): Promise<StoredToken> {
      redaction.add(code)
      const grant = 'authorization_code'
      const form = { grant_type: grant, scope: 'all', code, redirect_uri: redirectUri }
      // A response would mean that the code is spent. Without one it is lost, or the connection was an idle one
      // that the service was closing.
      return request(form, { grant }, urls.token, { repeatable: 'after_lost_connection' })
    },

    async refresh(token: StoredToken): Promise<StoredToken> {
      if (token.refreshToken === undefined)
        throw new TokenError('refresh_token_missing', 'The token came without a refresh token.')
      // The service takes it in the query, not in the form.
      const url = `${urls.token}?${new URLSearchParams({ refresh_token: token.refreshToken })}`
      return await request({ grant_type: 'refresh_token' }, token, url)
    },
  }
}

const HINTS: Readonly<Record<number, string>> = {
  401: ' Are the client id and the client secret right, and of this service?',
  403: ' Is the address of this machine admitted by the service?',
  404: ' Is the base URL the root of the service, without a path such as /svc?',
}

/** Without the body, which may repeat the request. */
function rejected({ response, lost }: Sent, redaction: Redaction): TokenError {
  const { status } = response
  // Of a firewall or a proxy: a grant is rejected with 400 or 401 (RFC 6749, 5.2).
  const isOfProxy = status > 401 && isHtml(response)
  const isRejected = status >= 400 && status < 500 && !isTransient(status) && !isOfProxy
  const code = isRejected ? 'grant_rejected' : 'token_endpoint_failed'
  const hint = HINTS[status] ?? (isRejected ? '' : ' Try again later. Is the base URL right?')
  const body = toShownBody(response, redaction)
  const oauthError =
    isJsonObject(body) && typeof body.error === 'string' ? encodeControls(body.error) : undefined
  const cause = lost instanceof NetworkError && { cause: lost }
  const reason = isHtml(response) ? ' and an HTML page' : toReason(body)
  const message = `The token endpoint responded with ${status}${reason}.${hint}`
  return new TokenError(code, message, { status, oauthError, ...cause })
}

function invalid(reason: string): TokenError {
  const message = `The response of the token endpoint is not a token: ${reason}. Is the base URL right?`
  return new TokenError('token_response_invalid', message)
}
