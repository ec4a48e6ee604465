import type { CheckedSandboxOptions } from '../sandbox-options.ts'
import { mergeParameters, ParameterFault, type Parameters } from './parameters.ts'

/** What an application asks of the user's browser. */
export interface AuthorizeRequest {
  readonly redirectUri: string
  readonly state: string | undefined
  readonly codeChallenge: string | undefined
  /** The query it came with, which the forms carry on. */
  readonly query: string
}

/**
 * A request that cannot go on: told to the user where nobody may be redirected to, and to the application
 * otherwise.
 */
export type AuthorizeFault = { readonly explain: string } | { readonly redirectTo: string }

/**
 * Judges an authorize call before anybody logs in. This is done here and not by the OAuth server's
 * `authorize()`, which judges only after the log-in, takes no `state` beyond ASCII, and loses its error where a
 * registered URI has a query.
 */
export function readAuthorizeRequest(
  query: URLSearchParams,
  options: CheckedSandboxOptions,
): AuthorizeRequest | AuthorizeFault {
  let parameters: Parameters
  try {
    parameters = mergeParameters(query)
  } catch (error) {
    if (error instanceof ParameterFault) return { explain: error.message }
    throw error
  }
  const { client_id: clientId, redirect_uri: redirectUri, state } = parameters
  if (clientId !== options.clientId) return { explain: 'The client_id is not that of a known application.' }
  if (redirectUri === undefined || !options.redirectUris.includes(redirectUri))
    return { explain: 'The redirect_uri is not one that the application registered.' }
  const error = findFault(parameters)
  if (error) return { redirectTo: toRedirect({ redirectUri, state }, error) }
  return { redirectUri, state, codeChallenge: parameters.code_challenge, query: query.toString() }
}

/** The URL to send the browser to, with the state as it came, and the registered URI as it was registered. */
export function toRedirect(
  { redirectUri, state }: Pick<AuthorizeRequest, 'redirectUri' | 'state'>,
  parameters: Readonly<Record<string, string>>,
): string {
  const added = new URLSearchParams({ ...parameters, ...(state === undefined ? {} : { state }) })
  const link = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  // Every decoder takes %20 for a space, not every one takes a plus sign.
  return `${redirectUri}${link}${String(added).replaceAll('+', '%20')}`
}

function findFault(parameters: Parameters): { error: string; error_description: string } | undefined {
  const { response_type: type, scope, code_challenge: challenge, code_challenge_method: method } = parameters
  if (type === undefined)
    return { error: 'invalid_request', error_description: 'response_type is missing, it is always code' }
  if (type !== 'code')
    return { error: 'unsupported_response_type', error_description: 'response_type is always code' }
  if (scope !== undefined && scope !== 'all')
    return { error: 'invalid_scope', error_description: 'The only scope is all' }
  if (challenge !== undefined && method !== 'S256')
    return { error: 'invalid_request', error_description: 'code_challenge_method is always S256' }
  return undefined
}
