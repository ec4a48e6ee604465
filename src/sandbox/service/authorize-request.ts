import { invalid } from '../http-error.ts'
import { type SandboxUser, USERS } from '../state/accounts.ts'
import type { IssuedTokens } from '../state/issued-tokens.ts'
import type { CheckedSandboxOptions } from '../state/sandbox-options.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import { mergeParameters, type Parameters } from './parameters.ts'

const CODE_LIFETIME_MS = 300_000

export interface AuthorizeRequest {
  readonly redirectUri: string
  readonly state: string | undefined
  /** The original query, for the forms. */
  readonly query: string
}

/**
 * @returns the request, or a redirect that reports an error to the application
 * @throws HttpError for the user, if a redirect is not safe
 */
export function readAuthorizeRequest(
  query: URLSearchParams,
  options: CheckedSandboxOptions,
): AuthorizeRequest | { readonly redirectTo: string } {
  const parameters = mergeParameters([query], options.mode === 'strict')
  const { client_id: clientId, redirect_uri: redirectUri, state } = parameters
  if (clientId !== options.clientId) throw invalid('The client_id is not that of a known application.')
  if (redirectUri === undefined || !options.redirectUris.includes(redirectUri))
    throw invalid('The redirect_uri is not one that the application registered.')
  const error = findFault(parameters)
  if (error) return { redirectTo: toRedirect({ redirectUri, state }, error) }
  return { redirectUri, state, query: query.toString() }
}

/** The redirect URL, with the original state and the unchanged registered URI. */
export function toRedirect(
  { redirectUri, state }: Pick<AuthorizeRequest, 'redirectUri' | 'state'>,
  parameters: Readonly<Record<string, string>>,
): string {
  const added = new URLSearchParams({ ...parameters, ...(state === undefined ? {} : { state }) })
  const link = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  // Every decoder reads %20 as a space, but not every one a plus sign.
  return `${redirectUri}${link}${String(added).replaceAll('+', '%20')}`
}

function findFault({ response_type: type, scope }: Parameters) {
  if (type === undefined)
    return { error: 'invalid_request', error_description: 'response_type is missing; it must be code' }
  if (type !== 'code')
    return { error: 'unsupported_response_type', error_description: 'response_type must be code' }
  if (scope !== undefined && scope !== 'all')
    return { error: 'invalid_scope', error_description: 'The only scope is all' }
  return undefined
}

/** @see Sandbox.consent */
export function consent(authorizeUrl: string, user: SandboxUser, { options, tokens }: SandboxState): string {
  if (!URL.canParse(authorizeUrl)) throw new TypeError('"authorizeUrl" must be an absolute URL')
  if (!USERS.includes(user)) throw new TypeError('"user" must be one of the users of the sandbox')
  // Not the origin, as a container may use another host name.
  if (new URL(authorizeUrl).pathname !== options.authorizePath)
    throw new TypeError(
      '"authorizeUrl" is not the authorize page; check the "authorizePath" option of the client',
    )
  try {
    const request = readAuthorizeRequest(new URL(authorizeUrl).searchParams, options)
    return 'redirectTo' in request ? request.redirectTo : grantCode(request, user, tokens)
  } catch (error) {
    throw new TypeError(`"authorizeUrl" is invalid: ${(error as Error).message}`)
  }
}

/** Creates a code for a user who has consented, and returns the redirect URL. */
export function grantCode(request: AuthorizeRequest, user: SandboxUser, tokens: IssuedTokens): string {
  return toRedirect(request, { code: tokens.issueCode(user, request.redirectUri, CODE_LIFETIME_MS) })
}
