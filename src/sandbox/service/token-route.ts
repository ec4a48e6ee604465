import OAuth2Server from '@node-oauth/oauth2-server'
import type { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import type { IssuedTokens } from '../state/issued-tokens.ts'
import { createOAuthModel } from './oauth-model.ts'
import { ParameterFault, type Parameters, readForm, readParameters } from './parameters.ts'
import { findGrantFault } from './verify-grant.ts'

const NO_BASIC_HEADER = {
  error: 'invalid_client',
  error_description: 'Send client_id and client_secret in the header "Authorization: Basic", not in the body',
}

interface TokenAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: object
}

/** `POST /oauth/token` with its three grants. */
export function addTokenRoute(app: Hono, options: CheckedSandboxOptions, tokens: IssuedTokens): void {
  const server = new OAuth2Server({
    model: createOAuthModel(options, tokens),
    accessTokenLifetime: options.tokenLifetimeSeconds,
    allowExtendedTokenAttributes: true,
  })
  app.post('/oauth/token', async (c) => {
    const strict = options.mode === 'strict'
    const parameters = await readParameters(c.req, strict).catch(toFault)
    const fault = strict ? findGrantFault(c.req, await readForm(c.req).catch(() => undefined)) : undefined
    const answer = await answerGrant(
      server,
      c.req.header('authorization'),
      fault === undefined ? parameters : new ParameterFault(fault),
    )
    return c.json(answer.body, answer.status as ContentfulStatusCode, {
      ...answer.headers,
      'cache-control': 'no-store',
      pragma: 'no-cache',
    })
  })
}

async function answerGrant(
  server: OAuth2Server,
  authorization: string | undefined,
  parameters: Parameters | ParameterFault,
): Promise<TokenAnswer> {
  if (parameters instanceof ParameterFault)
    return refusal(400, { error: 'invalid_request', error_description: parameters.message })
  const response = new OAuth2Server.Response()
  try {
    await server.token(toOAuthRequest(authorization, parameters), response)
  } catch (error) {
    if (!(error instanceof OAuth2Server.OAuthError)) throw error
    // The server responds 400 if the header has no credentials, and reports empty or malformed ones as a bad
    // parameter.
    if (error.name === 'invalid_client' || /`client_(?:id|secret)`/.test(error.message))
      return refusal(401, error.code === 400 ? NO_BASIC_HEADER : response.body)
    return refusal(error.code, response.body)
  }
  return { status: 200, headers: {}, body: response.body }
}

/** Converts a request for the OAuth server: all parameters are in the form. */
function toOAuthRequest(authorization: string | undefined, parameters: Parameters): OAuth2Server.Request {
  const { client_id: _id, client_secret: _secret, ...grant } = parameters
  return new OAuth2Server.Request({
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '1',
      ...(authorization === undefined ? {} : { authorization }),
    },
    query: {},
    // Only credentials in the header count.
    body: Object.assign(Object.create(null), grant),
  })
}

function refusal(status: number, body: object): TokenAnswer {
  return { status, headers: status === 401 ? { 'www-authenticate': 'Basic realm="sandbox"' } : {}, body }
}

function toFault(error: unknown): ParameterFault {
  if (error instanceof ParameterFault) return error
  throw error
}
