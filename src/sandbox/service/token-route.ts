import { Buffer } from 'node:buffer'
import type { Hono, HonoRequest } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { HttpError, invalid } from '../http-error.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import { type IssuedTokens, type TokenFamily, toFamily } from '../state/issued-tokens.ts'
import type { CheckedSandboxOptions } from '../state/sandbox-options.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import { type Parameters, readForm, readParameters, readQuery } from './parameters.ts'

export const SCOPE = 'all'

interface Grant {
  /** The parameters in the form and in the query, as the specification states them. */
  readonly form: readonly string[]
  readonly query: readonly string[]
  /** @throws HttpError if the code or token is invalid. If it was found, it is used up. */
  readonly run: (parameters: Parameters, tokens: IssuedTokens) => TokenFamily
}

export const GRANTS: ReadonlyMap<string, Grant> = new Map(
  Object.entries<Grant>({
    client_credentials: { form: ['grant_type', 'scope'], query: [], run: () => toFamily(APPLICATION) },
    authorization_code: {
      form: ['grant_type', 'scope', 'code', 'redirect_uri'],
      query: [],
      run: exchangeCode,
    },
    refresh_token: {
      form: ['grant_type'],
      query: ['refresh_token'],
      run: (parameters, tokens) =>
        tokens.takeRefresh(required('refresh_token', parameters)) ?? fail('The refresh token is invalid'),
    },
  }),
)

export function addTokenRoute(app: Hono, { options, tokens }: SandboxState): void {
  const isStrict = options.mode === 'strict'
  app.post('/oauth/token', async (c) => {
    c.header('cache-control', 'no-store')
    c.header('pragma', 'no-cache')
    try {
      const parameters = await readParameters(c.req, isStrict)
      assertClient(c.req.header('authorization'), options)
      const { grant_type: type, scope = SCOPE } = parameters
      if (type === undefined) throw invalid('grant_type is missing')
      const grant = GRANTS.get(type)
      if (!grant) throw new HttpError(400, 'The grant_type is unknown', 'unsupported_grant_type')
      if (isStrict) await assertStated(c.req, grant)
      if (scope !== SCOPE) throw new HttpError(400, `The only scope is ${SCOPE}`, 'invalid_scope')
      const family = grant.run(parameters, tokens)
      const { accessToken, refreshToken } = tokens.issue(family, options.tokenLifetimeSeconds)
      return c.json({
        access_token: accessToken,
        token_type: 'bearer',
        // Unlike RFC 6749 recommends, the service issues it for client credentials, too.
        refresh_token: refreshToken,
        expires_in: options.tokenLifetimeSeconds,
        scope: SCOPE,
        ...toOwner(family, options),
      })
    } catch (error) {
      if (!(error instanceof HttpError) || error.status === 413) throw error
      const { status, code, message, headers } = error
      return c.json({ error: code, error_description: message }, status as ContentfulStatusCode, headers)
    }
  })
}

function exchangeCode(parameters: Parameters, tokens: IssuedTokens): TokenFamily {
  const redirectUri = required('redirect_uri', parameters)
  const code = tokens.takeCode(required('code', parameters)) ?? fail('The code is invalid')
  if (code.redirectUri !== redirectUri) fail('The redirect_uri is not that of the code')
  return code.family
}

function required(name: string, { [name]: value }: Parameters): string {
  if (value === undefined) throw invalid(`${name} is missing`)
  return value
}

function fail(message: string): never {
  throw new HttpError(400, message, 'invalid_grant')
}

function assertClient(
  authorization: string | undefined,
  { clientId, clientSecret, mode }: CheckedSandboxOptions,
) {
  const encoded = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1] ?? ''
  const given = /^([^:]+):(.+)$/s.exec(Buffer.from(encoded, 'base64').toString())?.slice(1)
  const rejectWith = (message: string) =>
    new HttpError(401, message, 'invalid_client', { 'www-authenticate': 'Basic realm="sandbox"' })
  if (!given)
    throw rejectWith('Send client_id and client_secret in the header "Authorization: Basic", not in the body')
  // OAuth clients form-encode both (RFC 6749, 2.3.1), the service does not.
  const isSame = (expected: string, text = '') =>
    text === expected || (mode !== 'strict' && formDecode(text) === expected)
  if (!isSame(clientId, given[0]) || !isSame(clientSecret, given[1]))
    throw rejectWith('The client id or the client secret is wrong')
}

function formDecode(text: string): string {
  return new URLSearchParams(`value=${text.replaceAll('&', '%26')}`).get('value') ?? ''
}

async function assertStated(
  request: HonoRequest,
  { form, query }: Pick<Grant, 'form' | 'query'>,
): Promise<void> {
  if (!/(?:^|[, ])application\/json(?:[;, ]|$)/i.test(request.header('accept') ?? ''))
    throw invalid('Accept must be application/json')
  assertNames('form', await readForm(request), form)
  assertNames('query', readQuery(request), query)
}

function assertNames(source: string, parameters: URLSearchParams, stated: readonly string[]): void {
  const given = [...parameters].filter(([, value]) => value !== '').map(([name]) => name)
  const missing = stated.find((name) => !given.includes(name))
  if (missing) throw invalid(`The ${source} must have ${missing}`)
  const other = given.find((name) => !stated.includes(name))
  if (other !== undefined) throw invalid(`The ${source} must not have ${other}`)
}

function toOwner({ accountId, userId }: TokenFamily, { mode, clientId }: CheckedSandboxOptions) {
  if (mode !== 'lenient') return { account_id: Number(accountId), user_id: Number(userId) }
  // As in recorded responses.
  const user = USERS.find((one) => one.userId === userId)
  return { account_id: accountId, user_id: userId, user_name: user?.email ?? clientId }
}
