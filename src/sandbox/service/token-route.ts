import OAuth2Server from '@node-oauth/oauth2-server'
import type { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SandboxCore } from '../delivery/sandbox-core.ts'
import { assertGrant } from './assert-grant.ts'
import { createOAuthModel } from './oauth-model.ts'
import { ParameterFault, type Parameters, readParameters } from './parameters.ts'

const NO_BASIC_HEADER = {
  error: 'invalid_client',
  error_description: 'Send client_id and client_secret in the header "Authorization: Basic", not in the body',
}

export function addTokenRoute(app: Hono, core: SandboxCore): void {
  const { options } = core
  const isStrict = options.mode === 'strict'
  const server = new OAuth2Server({
    model: createOAuthModel(core),
    accessTokenLifetime: options.tokenLifetimeSeconds,
    allowExtendedTokenAttributes: true,
  })
  app.post('/oauth/token', async (c) => {
    const response = new OAuth2Server.Response()
    let [status, body]: [number, object] = [200, {}]
    try {
      const parameters = await readParameters(c.req, isStrict)
      if (isStrict) await assertGrant(c.req)
      await server.token(toOAuthRequest(c.req.header('authorization'), parameters), response)
      body = response.body
    } catch (error) {
      ;[status, body] = toRejection(error, response.body)
    }
    return c.json(body, status as ContentfulStatusCode, {
      ...(status === 401 && { 'www-authenticate': 'Basic realm="sandbox"' }),
      'cache-control': 'no-store',
      pragma: 'no-cache',
    })
  })
}

function toRejection(error: unknown, body: object): [status: number, body: object] {
  if (error instanceof ParameterFault)
    return [400, { error: 'invalid_request', error_description: error.message }]
  if (!(error instanceof OAuth2Server.OAuthError)) throw error
  // The server responds 400 if the header has no credentials, and reports empty or malformed ones as a bad
  // parameter.
  if (error.name === 'invalid_client' || /`client_(?:id|secret)`/.test(error.message))
    return [401, error.code === 400 ? NO_BASIC_HEADER : body]
  return [error.code, body]
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
