import { Buffer } from 'node:buffer'
import * as oauth from 'oauth4webapi'
import { TokenError, type TokenErrorCode } from '../client-errors.ts'
import { isJsonObject, type JsonValue } from '../json/json-value.ts'
import { isSuccess, toBody, toReason, toShownBody } from './answer.ts'
import type { ClientSettings } from './client-options.ts'
import type { HttpAnswer } from './exchange.ts'
import type { Redaction } from './redaction.ts'
import { isTransient, type Send } from './send.ts'
import { tokenResponseSchema } from './token.ts'
import type { StoredToken } from './token-store.ts'

/**
 * The three grants of service.md 4.1.
 *
 * All throw `TokenError` when the endpoint refuses or fails, and `NetworkError` when it is out of reach.
 */
export interface Grants {
  clientCredentials(): Promise<StoredToken>
  /** Sent once: a code is spent by its use. */
  authorizationCode(code: string, redirectUri: string, signal?: AbortSignal): Promise<StoredToken>
  /** @throws TokenError `refresh_token_missing` when the token came without one */
  refresh(token: StoredToken): Promise<StoredToken>
}

interface GrantSettings extends Pick<ClientSettings, 'urls' | 'clientId' | 'now'> {
  /** @see toBasicCredentials */
  readonly credentials: string
  readonly send: Send
  readonly redaction: Redaction
}

/** Plain, as the service states it (service.md 4.1); OAuth would have both percent-encoded first. */
export function toBasicCredentials(clientId: string, clientSecret: string): string {
  return Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64')
}

export function createGrants({ urls, clientId, credentials, now, send, redaction }: GrantSettings): Grants {
  const client: oauth.Client = { client_id: clientId }
  const authenticate: oauth.ClientAuth = (_server, _client, _body, headers) => {
    headers.set('authorization', `Basic ${credentials}`)
  }

  async function request(
    grant: string,
    parameters: Record<string, string>,
    { endpoint = urls.token, repeatable = true, signal }: RequestSettings = {},
  ): Promise<oauth.TokenEndpointResponse> {
    const server: oauth.AuthorizationServer = { issuer: urls.base, token_endpoint: endpoint }
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      authenticate,
      grant,
      parameters,
      {
        // The base URL has been judged: plain http is for loopback, or for those who asked for it.
        [oauth.allowInsecureRequests]: true,
        headers: { 'user-agent': 'payhook' },
        [oauth.customFetch]: async (url, { method, headers, body }) => {
          const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
          const { answer } = await send(
            { method, url, headers: form, body: String(body) },
            { repeatable, signal },
          )
          return toResponse(answer)
        },
      },
    )
    try {
      return await oauth.processGenericTokenEndpointResponse(server, client, response)
    } catch (error) {
      throw invalid(redaction.redact((error as Error).message))
    }
  }

  /** The answer as oauth4webapi takes it: what a token consists of, with every digit, and no `null`s. */
  function toResponse(answer: HttpAnswer): Response {
    const body = toBody(answer.text)
    if (!isSuccess(answer)) throw refused(answer)
    if (answer.tooLarge || !isJsonObject(body)) throw invalid('it is no JSON object')
    const present = FIELDS.flatMap((name) => (isStated(body[name]) ? [[name, body[name]] as const] : []))
    if (present.some(([, value]) => typeof value === 'object')) throw invalid(WRONG_KIND)
    return Response.json(Object.fromEntries(present))
  }

  function refused(answer: HttpAnswer): TokenError {
    const { status } = answer
    const [code, hint] = toRefusal(status)
    const body = toShownBody(answer, redaction)
    return new TokenError(code, `The token endpoint answered ${status}${toReason(body)}. ${hint}`, {
      status,
      body,
    })
  }

  async function toStored(
    grant: StoredToken['grant'],
    ask: () => Promise<oauth.TokenEndpointResponse>,
    previous?: StoredToken,
  ): Promise<StoredToken> {
    // From before the request, so that the time it takes makes the token seem older and never younger.
    const issuedAt = now()
    const { success, data } = tokenResponseSchema.safeParse(await ask())
    if (!success) throw invalid(WRONG_KIND)
    const { access_token, token_type, refresh_token, expires_in, scope, account_id, user_id } = data
    redaction.add(access_token, refresh_token)
    return {
      accessToken: access_token,
      // A service that does not give a new one leaves the old one valid (RFC 6749, section 6).
      refreshToken: refresh_token ?? previous?.refreshToken,
      tokenType: token_type,
      scope: scope ?? previous?.scope,
      accountId: account_id ?? previous?.accountId,
      userId: user_id ?? previous?.userId,
      grant,
      issuedAt,
      expiresAt: toExpiry(issuedAt, expires_in),
    }
  }

  return {
    clientCredentials: () =>
      toStored('client_credentials', () => request('client_credentials', toForm('client_credentials'))),

    authorizationCode: (code, redirectUri, signal) => {
      const form = { ...toForm('authorization_code'), code, redirect_uri: redirectUri }
      return redaction.during(code, () =>
        toStored('authorization_code', () =>
          request('authorization_code', form, { repeatable: false, signal }),
        ),
      )
    },

    async refresh(token) {
      if (token.refreshToken === undefined) {
        throw new TokenError('refresh_token_missing', 'The token came without a refresh token.')
      }
      // Where the service takes it: in the query, not in the form.
      const endpoint = `${urls.token}?${new URLSearchParams({ refresh_token: token.refreshToken })}`
      return await toStored(token.grant, () => request('refresh_token', {}, { endpoint }), token)
    },
  }
}

interface RequestSettings {
  readonly endpoint?: string
  readonly repeatable?: boolean
  readonly signal?: AbortSignal | undefined
}

const FIELDS = Object.keys(tokenResponseSchema.shape)
const WRONG_KIND = 'a field of it is of the wrong kind'

/** What a service writes for a field that it does not have is many things. */
function isStated(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== ''
}

// The last moment that a Date can be.
const MAX_TIME = 8.64e15

/** `undefined` where the service did not say, or said something that never comes. */
function toExpiry(issuedAt: number, lifetimeSeconds = Number.POSITIVE_INFINITY): number | undefined {
  const expiresAt = issuedAt + lifetimeSeconds * 1_000
  return expiresAt <= MAX_TIME ? expiresAt : undefined
}

/** In the order in which service.md 4.1 names them. */
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
